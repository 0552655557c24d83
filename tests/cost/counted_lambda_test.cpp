#include "mmo/cost/counted_lambda.h"

#include <gtest/gtest.h>

#include <vector>

namespace mmo {
namespace {

TEST(CountedLambda, FadesAndShrinks) {
  const Metric f1 = parse_metric("macro-f1");
  std::vector<Counts> kept(2);
  std::vector<double> lambda{0.5, 0.5};
  const std::vector<Counts> fresh{{.tp = 2, .fp = 1, .fn = 1, .tn = 9}, {}};
  follow_counts(f1, fresh, 0.5, 0, kept, lambda);
  EXPECT_DOUBLE_EQ(lambda[0], 4.0 / 6);
  EXPECT_DOUBLE_EQ(lambda[1], 0.5);  // nothing seen and nothing to shrink: it stays
  const std::vector<Counts> later{{.tp = 0, .fp = 2, .fn = 0, .tn = 0}, {}};
  follow_counts(f1, later, 0.5, 3, kept, lambda);
  EXPECT_DOUBLE_EQ(kept[0].fp, 2.5);
  EXPECT_DOUBLE_EQ(lambda[0], 2.0 / (2 + 2.5 + 0.5 + 3));
  EXPECT_DOUBLE_EQ(lambda[1], 0);
}

}  // namespace
}  // namespace mmo
