// log(1 + eˣ) and its derivative, the two functions behind every logistic-type loss.
//   double  exact to the last bits, for row-level losses and tests;
//   float   without branches or calls, so that gcc turns a loop over them into SIMD code (-O3; AVX2 and
//           FMA where the caller's target has them). Relative error below 3e-7 for every finite x; values
//           below 2^-125 become 0; NaN stays NaN in value and slope.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "mmo/core/fast_exp.h"

namespace mmo {

// max(x, 0) + log(1 + e^−|x|)
inline double softplus(double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
// 1 / (1 + e^−x)
inline double sigmoid(double x) {
  const double e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1.0) / (1.0 + e);
}

// log(1 + e) for e in [0, 1], a float or a vector of them. With s = e / (2 + e) it is
// 2·artanh(s) = 2s·(1 + s²/3 + s⁴/5 + …), a polynomial of degree 4 in s² ≤ 1/9 (minimax).
template <class T>
MMO_INLINE T log_one_plus(const T& e) {
  const T s = e / (2.0F + e);
  const T t = s * s;
  const T series = (((0.140891626F * t + 0.139803022F) * t + 0.200124547F) * t + 0.333331585F) * t + 1.0F;
  return (s + s) * series;
}

// For x ≥ 0: e = e^−x and tail = log(1 + e), to full relative accuracy; σ(x) is 1 / (1 + e).
MMO_INLINE void logistic_tail(float x, float& e, float& tail) {
  e = simd::exp_in_range(simd::select(x > 87.4F, -87.4F, -x));
  tail = log_one_plus(e);
}

// tail = log(1 + e^−|x|), above = σ(x), below = σ(−x).
MMO_INLINE void logistic_parts(float x, float& tail, float& above, float& below) {
  float e = 0;
  logistic_tail(std::fabs(x), e, tail);
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

// value·sign(of), on the bits.
MMO_INLINE float times_sign(float value, float of) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) ^
                              (std::bit_cast<std::uint32_t>(of) & 0x80000000U));
}

// ½(b + p)·softplus(−x) + ½(b − p)·softplus(x) and its derivative: two sides whose weights sum to b, with the
// pull p towards +1 between them. With t = sign(x), q = t·p and softplus(±x) = log(1 + e^−|x|) + ½(|x| ± x)
// it is b·log(1 + e^−|x|) + ½|x|·(b − q), the derivative ½t·((b − q)·σ(|x|) − (b + q)·σ(−|x|)).
MMO_INLINE void two_sided_softplus(float x, float b, float p, float& value, float& derivative) {
  const float magnitude = std::fabs(x);
  float e = 0;
  float tail = 0;
  logistic_tail(magnitude, e, tail);
  const float q = times_sign(p, x);
  value = b * tail + 0.5F * magnitude * (b - q);
  derivative = times_sign(0.5F / (1.0F + e) * ((b - q) - (b + q) * e), x);
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
