#include "mmo/loss/row_ratios.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace mmo {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Three rows of two labels: F1 2/3, 0/0, 1 (its second cell is unknown).
const std::vector<float> scores{1, 1, -1, -1, 2, 3};
const std::vector<float> targets{1, 0, 0, 0, 1, std::numeric_limits<float>::quiet_NaN()};

RowRatios ratios(const Metric& metric, double zero_division) {
  ScoreBatch batch;
  batch.rows = 3;
  batch.labels_count = 2;
  batch.scores = scores;
  batch.targets = targets;
  return row_ratios(metric, batch, zero_division);
}

TEST(RowRatios, OfOneRatioAndOfARatioPerLabel) {
  const Metric one = parse_metric("samples-f1");
  Metric each = one;
  each.ratios.push_back(each.ratios[0]);
  for (const Metric& metric : {one, each}) {
    EXPECT_NEAR(ratios(metric, 0).sum, 5.0 / 3, 1e-12);
    EXPECT_EQ(ratios(metric, 0).rows, 3);
    EXPECT_NEAR(ratios(metric, nan).sum, 5.0 / 3, 1e-12);
    EXPECT_EQ(ratios(metric, nan).rows, 2);  // 0/0 says nothing
  }
}

}  // namespace
}  // namespace mmo
