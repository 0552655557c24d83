// eˣ in single precision without branches or calls, so that gcc turns a loop over it into SIMD code.
#pragma once

#include <bit>
#include <cstdint>

#include "mmo/core/simd.h"

namespace mmo {

namespace simd {

// condition ? a : b on the bits: a conditional expression would let the compiler move arithmetic into a
// branch, and loops with branches are not vectorised.
MMO_INLINE float select(bool condition, float a, float b) {
  const std::uint32_t mask = -static_cast<std::uint32_t>(condition);
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(a) & mask) |
                              (std::bit_cast<std::uint32_t>(b) & ~mask));
}

// eˣ for x in [−87.4, 88.72], a float or a vector of them: x = n·log 2 + r, |r| ≤ ½·log 2;
// eˣ = 2ⁿ·(1 + r + r²·q(r)), q of degree 4 (minimax).
template <class T>
MMO_INLINE T exp_in_range(const T& x) {
  using Words = typename IntegersOf<T>::Words;
  constexpr float round_to_integer = 12582912.0F;  // 1.5·2²³: adding it leaves n in the low bits
  const T shifted = x * 1.44269504F + round_to_integer;
  const T n = shifted - round_to_integer;
  // log 2 in two parts, the first with few bits, so that n times it is exact.
  const T r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  const T q =
      (((0.00138144649F * r + 0.00836878084F) * r + 0.0416683927F) * r + 0.166665196F) * r + 0.49999994F;
  const T p = q * r * r + r + 1.0F;
  // 2·p·2ⁿ⁻¹ instead of p·2ⁿ: n = 128 stays finite, and n = −126 has exponent bits 0, so it becomes 0.
  return (p + p) * std::bit_cast<T>((std::bit_cast<Words>(shifted) + 126U) << 23U);
}

}  // namespace simd

// eˣ; 0 below −87, the largest finite power above 88.72.
MMO_INLINE float fast_exp(float x) {
  const float above = simd::select(x < -87.4F, -87.4F, x);
  return simd::exp_in_range(simd::select(above > 88.72F, 88.72F, above));
}

}  // namespace mmo
