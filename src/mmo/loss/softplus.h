// log(1 + eˣ) and its derivative, the two functions that every logistic-type loss is made of.
//   double  exact to the last bits, for row-level losses and tests;
//   float   without branches or calls, so that gcc turns a loop over them into SIMD code (-O3; AVX2 and
//           FMA where the caller's target has them). Relative error below 3e-7 for every finite x; values
//           below 2^-125 become 0; NaN stays NaN in value and slope.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "mmo/core/simd.h"

namespace mmo {

// max(x, 0) + log(1 + e^−|x|)
inline double softplus(double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
// 1 / (1 + e^−x)
inline double sigmoid(double x) {
  const double e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1.0) / (1.0 + e);
}

namespace simd {

// condition ? a : b on the bits: a conditional expression would let the compiler move arithmetic into a
// branch, and loops with branches are not vectorised.
MMO_INLINE float select(bool condition, float a, float b) {
  const std::uint32_t mask = -static_cast<std::uint32_t>(condition);
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(a) & mask) |
                              (std::bit_cast<std::uint32_t>(b) & ~mask));
}

// eˣ for x in [−87.4, 88.72]: x = n·log 2 + r, |r| ≤ ½·log 2; eˣ = 2ⁿ·(1 + r + r²·q(r)), q of degree 4
// (minimax).
MMO_INLINE float exp_in_range(float x) {
  constexpr float round_to_integer = 12582912.0F;  // 1.5·2²³: adding it leaves n in the low bits
  const float shifted = x * 1.44269504F + round_to_integer;
  const float n = shifted - round_to_integer;
  // log 2 in two parts, the first with few bits, so that n times it is exact.
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  const float q =
      (((0.00138144649F * r + 0.00836878084F) * r + 0.0416683927F) * r + 0.166665196F) * r + 0.49999994F;
  const float p = q * r * r + r + 1.0F;
  // 2·p·2ⁿ⁻¹ instead of p·2ⁿ: n = 128 stays finite, and n = −126 has exponent bits 0, so it becomes 0.
  return (p + p) * std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) + 126U) << 23U);
}

}  // namespace simd

// eˣ; 0 below −87, the largest finite power above 88.72.
MMO_INLINE float fast_exp(float x) {
  const float above = simd::select(x < -87.4F, -87.4F, x);
  return simd::exp_in_range(simd::select(above > 88.72F, 88.72F, above));
}

// tail = log(1 + e^−|x|), above = σ(x), below = σ(−x), each to full relative accuracy. With e = e^−|x| and
// s = e / (2 + e): log(1 + e) = 2·artanh(s) = 2s·(1 + s²/3 + s⁴/5 + …), a polynomial of degree 4 in s² ≤ 1/9
// (minimax).
MMO_INLINE void logistic_parts(float x, float& tail, float& above, float& below) {
  const float magnitude = std::fabs(x);
  const float e = simd::exp_in_range(simd::select(magnitude > 87.4F, -87.4F, -magnitude));
  const float s = e / (2.0F + e);
  const float t = s * s;
  const float series = (((0.140891626F * t + 0.139803022F) * t + 0.200124547F) * t + 0.333331585F) * t + 1.0F;
  tail = (s + s) * series;
  const float larger = 1.0F / (1.0F + e);
  const float smaller = e * larger;
  above = simd::select(x < 0.0F, smaller, larger);
  below = simd::select(x < 0.0F, larger, smaller);
}

// value = log(1 + eˣ), derivative = σ(x).
MMO_INLINE void softplus_sigmoid(float x, float& value, float& derivative) {
  float tail = 0;
  float below = 0;
  logistic_parts(x, tail, derivative, below);
  value = 0.5F * (x + std::fabs(x)) + tail;
}

MMO_INLINE float softplus(float x) {
  float value = 0;
  float derivative = 0;
  softplus_sigmoid(x, value, derivative);
  return value;
}

MMO_INLINE float sigmoid(float x) {
  float value = 0;
  float derivative = 0;
  softplus_sigmoid(x, value, derivative);
  return derivative;
}

}  // namespace mmo
