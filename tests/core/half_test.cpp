#include "mmo/core/half.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace mmo {
namespace {

std::array<float, lanes> through_halves(const std::array<float, lanes>& values) {
  std::array<Half, lanes> halves{};
  std::array<float, lanes> out{};
  store_half(halves.data(), load8(values.data()));
  store8(out.data(), load_half<Vec8>(halves.data()));
  return out;
}

TEST(Half, KeepsEightBitsOfPrecisionAndAllOfTheRange) {
  for (float scale = 1e-37F; scale < 1e38F; scale *= 7.3F) {
    std::array<float, lanes> values{1.0F, -1.1F, 1.2345F, -1.5F, 1.999F, 1.003F, -1.7F, 1.0039F};
    for (float& v : values) v *= scale;
    const auto found = through_halves(values);
    for (std::size_t k = 0; k < lanes; ++k)
      EXPECT_LE(std::abs(found[k] - values[k]), std::abs(values[k]) / 256) << values[k];
  }
}

TEST(Half, KeepsWhatHasFewBits) {
  using Limits = std::numeric_limits<float>;
  const std::array<float, lanes> values{0.0F,       -0.0F, 1.0F, -1.5F, 255.0F, Limits::infinity(),
                                        0.0078125F, -3e0F};
  const auto found = through_halves(values);
  for (std::size_t k = 0; k < lanes; ++k) EXPECT_EQ(found[k], values[k]);
}

TEST(Half, RoundsTiesToEven) {
  const float unit = 1.0F / 128;  // of the last bit kept, between 1 and 2
  const auto found =
      through_halves({1.0F + unit / 2, 1.0F + 3 * unit / 2, 1.0F + 0.51F * unit, -1.0F - unit / 2,
                      -1.0F - 3 * unit / 2, 1.0F + 0.49F * unit, 2.0F, 0.0F});
  const std::array<float, lanes> expected{
      1.0F, 1.0F + 2 * unit, 1.0F + unit, -1.0F, -1.0F - 2 * unit, 1.0F, 2.0F, 0.0F};
  for (std::size_t k = 0; k < lanes; ++k) EXPECT_EQ(found[k], expected[k]);
}

}  // namespace
}  // namespace mmo
