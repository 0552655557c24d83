#include "mmo/loss/softplus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace mmo {
namespace {

// Half an ulp of float is 6e-8; range reduction, polynomial and division round a handful of times.
constexpr double kFloatTolerance = 3e-7;
// Results below 2^-125 are flushed to 0.
constexpr long double kSmallest = 0x1.0p-125L;

// Every float would take minutes: all magnitudes at a fixed stride of bit patterns, both signs.
std::vector<float> float_grid() {
  std::vector<float> grid;
  const auto last = std::bit_cast<std::uint32_t>(1.0e5F);
  for (std::uint32_t bits = 0; bits < last; bits += 4099) {
    grid.push_back(std::bit_cast<float>(bits));
    grid.push_back(-grid.back());
  }
  for (int k = -100 * 1024; k < 100 * 1024; ++k) grid.push_back(static_cast<float>(k) / 1024.0F);
  return grid;
}

long double relative_error(long double computed, long double expected) {
  if (expected < kSmallest) return computed <= kSmallest ? 0 : 1;
  return std::fabs(computed / expected - 1);
}

TEST(Softplus, FloatMatchesLongDoubleOverTheFullRange) {
  long double worst_value = 0;
  long double worst_derivative = 0;
  for (const float x : float_grid()) {
    const long double e = std::exp(-std::fabs(static_cast<long double>(x)));
    const long double value = std::max(0.0L, static_cast<long double>(x)) + std::log1p(e);
    const long double derivative = (x < 0 ? e : 1.0L) / (1.0L + e);
    float v = 0;
    float d = 0;
    softplus_sigmoid(x, v, d);
    worst_value = std::max(worst_value, relative_error(v, value));
    worst_derivative = std::max(worst_derivative, relative_error(d, derivative));
    ASSERT_EQ(softplus(x), v);
    ASSERT_EQ(sigmoid(x), d);
  }
  EXPECT_LT(worst_value, kFloatTolerance);
  EXPECT_LT(worst_derivative, kFloatTolerance);
}

TEST(Softplus, FastExpMatchesLongDouble) {
  long double worst = 0;
  for (const float x : float_grid()) {
    if (x > 88.72F) {
      EXPECT_TRUE(std::isfinite(fast_exp(x)) && fast_exp(x) > 3.3e38F);
    } else {
      worst = std::max(worst, relative_error(fast_exp(x), std::exp(static_cast<long double>(x))));
    }
  }
  EXPECT_LT(worst, kFloatTolerance);
}

TEST(Softplus, FloatExtremes) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(softplus(1e4F), 1e4F);
  EXPECT_EQ(softplus(-1e4F), 0.0F);
  EXPECT_EQ(sigmoid(1e4F), 1.0F);
  EXPECT_EQ(sigmoid(-1e4F), 0.0F);
  EXPECT_EQ(softplus(infinity), infinity);
  EXPECT_EQ(sigmoid(-infinity), 0.0F);
  EXPECT_TRUE(std::isnan(softplus(nan)));
  EXPECT_TRUE(std::isnan(sigmoid(nan)));
  EXPECT_TRUE(std::isnan(fast_exp(nan)));
}

TEST(Softplus, DoubleMatchesLongDouble) {
  constexpr double tolerance = 4 * std::numeric_limits<double>::epsilon();
  for (int k = -2000; k < 2000; ++k) {
    const double x = 0.35 * k;
    const long double e = std::exp(-std::fabs(static_cast<long double>(x)));
    const long double value = std::max(0.0L, static_cast<long double>(x)) + std::log1p(e);
    ASSERT_LT(relative_error(softplus(x), value), tolerance) << x;
    ASSERT_LT(relative_error(sigmoid(x), (x < 0 ? e : 1.0L) / (1.0L + e)), tolerance) << x;
  }
  EXPECT_EQ(softplus(1e4), 1e4);
  EXPECT_EQ(softplus(-1e4), 0.0);
}

}  // namespace
}  // namespace mmo
