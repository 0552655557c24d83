#include "mmo/calibrate/logistic_fit.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mmo {
namespace {

// Scores of ±1 that are right three times out of four: a = log 3, and the loss is the entropy of ¼.
TEST(ScoreCells, FindsTheOptimumFromAnyStart) {
  DenseMatrix z(8, 1);
  LabelMatrix labels;
  labels.cols = 1;
  for (std::size_t i = 0; i < z.rows; ++i) {
    z(i, 0) = i % 2 == 0 ? 1.0F : -1.0F;
    const bool present = (i % 2 == 0) != (i < 2);
    labels.push_row(present ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>{});
  }
  const ScoreCells cells(z, nullptr, labels, nullptr, {});
  const double entropy = -0.25 * std::log(0.25) - 0.75 * std::log(0.75);
  // Where the loss is nearly straight a whole Newton step leads uphill, far beyond the optimum.
  for (const double start : {0.0, 1.0, -1.0, 4.0, 6.0}) {
    const auto found = cells.minimise({start, 0, 0});
    EXPECT_LE(found.value, cells.expand({start, 0, 0}).value) << start;
    EXPECT_NEAR(found.value, entropy, 1e-6) << start;
    EXPECT_NEAR(found.theta[0], std::log(3.0), 1e-3) << start;
    EXPECT_NEAR(found.theta[2], 0, 1e-3) << start;
  }
}

TEST(ScoreCells, SpreadIsTheStandardDeviation) {
  DenseMatrix z(2, 2);
  z.values = {1, 2, 3, 6};
  LabelMatrix labels;
  labels.cols = 2;
  labels.push_row({});
  labels.push_row({});
  EXPECT_NEAR(ScoreCells(z, nullptr, labels, nullptr, {}).spread(), std::sqrt(3.5), 1e-6);
}

}  // namespace
}  // namespace mmo
