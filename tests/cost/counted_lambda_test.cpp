#include "mmo/cost/counted_lambda.h"

#include <gtest/gtest.h>

#include <vector>

namespace mmo {
namespace {

TEST(CountedLambda, FadesAndShrinksByAShareOfTheCells) {
  const Metric f1 = parse_metric("macro-f1");
  std::vector<Counts> kept(2);
  std::vector<double> lambda{0.5, 0.5};
  const std::vector<Counts> fresh{{.tp = 2, .fp = 1, .fn = 1, .tn = 8}, {}};
  follow_counts(f1, fresh, {.decay = 0.5, .shrinkage = 0}, kept, lambda);
  EXPECT_DOUBLE_EQ(lambda[0], 4.0 / 6);
  EXPECT_DOUBLE_EQ(lambda[1], 0.5);  // nothing seen: it stays
  const std::vector<Counts> later{{.tp = 0, .fp = 2, .fn = 0, .tn = 0}, {.tn = 4}};
  follow_counts(f1, later, {.decay = 0.5, .shrinkage = 0.25}, kept, lambda);
  EXPECT_DOUBLE_EQ(kept[0].fp, 2.5);
  EXPECT_DOUBLE_EQ(lambda[0], 2.0 / (2 + 2.5 + 0.5 + 0.25 * 8));
  EXPECT_DOUBLE_EQ(lambda[1], 0);
}

// A label of 1 % positives that is learnt by heart: λ ≈ 2·share / (2·share + ν), whatever the rows of a
// batch.
TEST(CountedLambda, DoesNotDependOnTheRowsOfABatch) {
  const Metric f1 = parse_metric("macro-f1");
  for (const double rows : {100.0, 3200.0}) {
    std::vector<Counts> kept(1);
    std::vector<double> lambda{0.5};
    const std::vector<Counts> fresh{{.tp = 0.01 * rows, .tn = 0.99 * rows}};
    for (int batch = 0; batch < 7; ++batch) follow_counts(f1, fresh, default_memory(true), kept, lambda);
    EXPECT_NEAR(lambda[0], 0.02 / (0.02 + 0.03), 1e-12) << rows;
  }
  EXPECT_EQ(default_memory(false).shrinkage, 0);
}

TEST(CountedLambda, OfRowsIsTheMeanOfTheirRatios) {
  RowRatios kept;
  double lambda = 0.5;
  follow_rows({}, 0.5, kept, lambda);
  EXPECT_EQ(lambda, 0.5);  // no row has a ratio
  follow_rows({.sum = 1.5, .rows = 2}, 0.5, kept, lambda);
  follow_rows({.sum = 0, .rows = 1}, 0.5, kept, lambda);
  EXPECT_DOUBLE_EQ(lambda, 0.75 / 2);
}

TEST(CountedLambda, StartsInTheMiddle) {
  EXPECT_DOUBLE_EQ(start_lambda(parse_metric("micro-f1").ratio(0)), 0.5);
  EXPECT_DOUBLE_EQ(start_lambda(parse_metric("micro:(TP-FP)/(TP+FN)").ratio(0)), 0.5);  // no finite range
}

}  // namespace
}  // namespace mmo
