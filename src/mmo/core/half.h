// Floats kept in half the memory (bfloat16: their upper 16 bits, rounded): for what needs their range but not
// their precision.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "mmo/core/simd.h"

namespace mmo {

using Half = std::uint16_t;
using Halves = Half __attribute__((vector_size(16)));
using Words = std::uint32_t __attribute__((vector_size(32)));

MMO_INLINE Vec8 load_half(const Half* from) {
  Halves halves;
  std::memcpy(&halves, from, sizeof halves);
  const Words words = __builtin_convertvector(halves, Words) << 16U;
  return std::bit_cast<Vec8>(words);
}

// Rounds to the nearest, ties to even.
MMO_INLINE void store_half(Half* to, const Vec8& v) {
  const Words words = std::bit_cast<Words>(v);
  const Words rounded = (words + 0x7FFFU + ((words >> 16U) & 1U)) >> 16U;
  const Halves halves = __builtin_convertvector(rounded, Halves);
  std::memcpy(to, &halves, sizeof halves);
}

}  // namespace mmo
