#include "mmo/report/significance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace mmo {
namespace {

// All differences on one side: p = 2/2ⁿ.
TEST(Wilcoxon, IsExactForSmallSamples) {
  std::vector<double> a;
  std::vector<double> b;
  for (int n = 1; n <= 12; ++n) {
    a.push_back(1.0 + 0.1 * n);
    b.push_back(0.5);
    EXPECT_NEAR(wilcoxon(a, b).p, std::min(1.0, 2.0 / (1 << n)), 1e-15) << n;
  }
}

// scipy.stats.wilcoxon(x, y, method="exact") of these ten pairs: statistic 22, p = 0.625.
TEST(Wilcoxon, AgreesWithScipy) {
  const std::vector<double> x{125, 115, 130, 140, 141, 115, 140, 125, 140, 135};
  const std::vector<double> y{110.5, 122, 125.25, 120, 140.5, 124, 123, 137, 135.75, 145.125};
  const PairedTest test = wilcoxon(x, y);
  EXPECT_NEAR(test.p, 0.625, 1e-12);
  EXPECT_NEAR(wilcoxon(y, x).p, test.p, 1e-15);
  EXPECT_NEAR(wilcoxon(y, x).mean_difference, -test.mean_difference, 1e-12);
}

TEST(Wilcoxon, EqualRunsAreNotDifferent) {
  const std::vector<double> a{0.5, 0.6, 0.7};
  EXPECT_EQ(wilcoxon(a, a).p, 1);
  EXPECT_EQ(wilcoxon(a, a).mean_difference, 0);
}

// Ties share ranks, zeros are left out: |d| = 1, 1, 1 with signs + + − has p = 1, as 2·P(W ≤ 2) = 1.
TEST(Wilcoxon, TiesShareRanks) {
  const std::vector<double> a{1, 1, -1, 0};
  const std::vector<double> b{0, 0, 0, 0};
  EXPECT_NEAR(wilcoxon(a, b).p, 1.0, 1e-15);
}

TEST(Spread, OfASample) {
  const std::vector<double> values{1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(mean(values), 2.5);
  EXPECT_NEAR(standard_deviation(values), 1.2909944487358056, 1e-15);
  EXPECT_EQ(standard_deviation(std::vector<double>{1}), 0);
}

}  // namespace
}  // namespace mmo
