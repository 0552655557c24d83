// Floats in half the memory (bfloat16: the upper 16 bits, rounded), for values that need a float's range but
// not its precision.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "mmo/core/simd.h"

namespace mmo {

using Half = std::uint16_t;

template <class Vec>
MMO_INLINE Vec load_half(const Half* from) {
  typename IntegersOf<Vec>::Halves halves;
  std::memcpy(&halves, from, sizeof halves);
  const auto words = __builtin_convertvector(halves, typename IntegersOf<Vec>::Words) << 16U;
  return std::bit_cast<Vec>(words);
}

// Rounds to the nearest, ties to even.
template <class Vec>
MMO_INLINE void store_half(Half* to, const Vec& v) {
  const auto words = std::bit_cast<typename IntegersOf<Vec>::Words>(v);
  const auto rounded = (words + 0x7FFFU + ((words >> 16U) & 1U)) >> 16U;
  const auto halves = __builtin_convertvector(rounded, typename IntegersOf<Vec>::Halves);
  std::memcpy(to, &halves, sizeof halves);
}

// The same for one number.
inline float from_half(Half from) { return std::bit_cast<float>(std::uint32_t{from} << 16U); }
inline Half to_half(float v) {
  const auto words = std::bit_cast<std::uint32_t>(v);
  return static_cast<Half>((words + 0x7FFFU + ((words >> 16U) & 1U)) >> 16U);
}

}  // namespace mmo
