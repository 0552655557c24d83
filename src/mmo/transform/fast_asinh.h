// asinh without branches or calls, so that gcc turns a loop over it into SIMD code; absolute error below
// 1e-11, far below what a float32 result keeps. Meant for arguments that were float32: larger squares would
// overflow.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "mmo/core/simd.h"

namespace mmo {

// log y for y ≥ 1: y = 2ᵏ·m with ½√2 ≤ m < √2; log m = 2·artanh(s) = 2s·(1 + s²/3 + s⁴/5 + …), s = (m − 1)/(m
// + 1).
MMO_INLINE double log_above_one(double y) {
  constexpr auto half_root = std::bit_cast<std::uint64_t>(0.70710678118654752);
  constexpr double two_52 = 4503599627370496.0;  // adding it leaves an integer in the low bits
  const auto bits = std::bit_cast<std::uint64_t>(y);
  const std::uint64_t k = (bits - half_root) >> 52U;
  const auto m = std::bit_cast<double>(bits - (k << 52U));
  const double exponent = std::bit_cast<double>(k | std::bit_cast<std::uint64_t>(two_52)) - two_52;
  const double s = (m - 1) / (m + 1);
  const double t = s * s;
  const double series =
      1 + t * (1.0 / 3 + t * (1.0 / 5 + t * (1.0 / 7 + t * (1.0 / 9 + t * (1.0 / 11 + t * (1.0 / 13))))));
  return exponent * 0.69314718055994531 + 2 * s * series;
}

MMO_INLINE double fast_asinh(double x) {
  const double a = std::fabs(x);
  return std::copysign(log_above_one(a + std::sqrt(a * a + 1)), x);
}

}  // namespace mmo
