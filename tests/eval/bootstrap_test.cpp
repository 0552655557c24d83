#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mmo/eval/evaluate.h"

namespace mmo {
namespace {

// Between order statistics, as numpy.quantile does.
TEST(PercentileInterval, LiesBetweenOrderStatistics) {
  const Interval eighty = percentile_interval({8, 1, 4, 2}, 0.8);  // places 0.3 and 2.7 of 1, 2, 4, 8
  EXPECT_NEAR(eighty.low, 1.3, 1e-12);
  EXPECT_NEAR(eighty.high, 6.8, 1e-12);
  std::vector<double> hundred_and_one;
  for (int k = 100; k >= 0; --k) hundred_and_one.push_back(k);
  const Interval usual = percentile_interval(hundred_and_one, 0.95);
  EXPECT_NEAR(usual.low, 2.5, 1e-9);
  EXPECT_NEAR(usual.high, 97.5, 1e-9);
}

TEST(PercentileInterval, ValuesThatDoNotExistAreLeftOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Interval two = percentile_interval({nan, 3, nan, 1}, 0.5);
  EXPECT_NEAR(two.low, 1.5, 1e-12);
  EXPECT_NEAR(two.high, 2.5, 1e-12);
  const Interval one = percentile_interval({5}, 0.95);
  EXPECT_EQ(one.low, 5);
  EXPECT_EQ(one.high, 5);
  EXPECT_TRUE(std::isnan(percentile_interval({nan}, 0.95).low));
  EXPECT_TRUE(std::isnan(percentile_interval({}, 0.95).high));
}

}  // namespace
}  // namespace mmo
