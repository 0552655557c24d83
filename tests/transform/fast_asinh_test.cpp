#include "mmo/transform/fast_asinh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mmo {
namespace {

TEST(FastAsinh, MeetsTheLibrarysOverTheFloatRange) {
  for (double x = 1e-30; x < 1e38; x *= 1.01) {
    const double exact = std::asinh(x);
    ASSERT_NEAR(fast_asinh(x), exact, 1e-11 * std::max(1.0, exact)) << x;
    ASSERT_EQ(fast_asinh(-x), -fast_asinh(x)) << x;
  }
  EXPECT_EQ(fast_asinh(0), 0.0);
  EXPECT_TRUE(std::isfinite(fast_asinh(std::numeric_limits<float>::max())));
}

}  // namespace
}  // namespace mmo
