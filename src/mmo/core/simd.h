// Portable vectors with run-time dispatch: functions marked MMO_SIMD are compiled once per instruction set
// and the best one for the machine is chosen when the program starts; the baseline runs everywhere.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MMO_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define MMO_SANITIZED 1
#endif

// Sanitizers can't run inside the resolvers that pick a version, so they get the baseline.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(MMO_SANITIZED)
#define MMO_SIMD __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define MMO_SIMD
#endif
#define MMO_INLINE [[gnu::always_inline]] inline
#define MMO_INLINE_LAMBDA __attribute__((always_inline))

namespace mmo {

// Vectors are passed only between functions that are always inlined, so no call's ABI is at stake.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

// Eight floats; wider or narrower machines split or pair them.
using Vec8 = float __attribute__((vector_size(32)));
inline constexpr std::size_t lanes = 8;

MMO_INLINE Vec8 load8(const float* from) {
  Vec8 v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
MMO_INLINE void store8(float* to, const Vec8& v) { std::memcpy(to, &v, sizeof v); }

[[nodiscard]] constexpr std::size_t round_up(std::size_t n, std::size_t step) {
  return (n + step - 1) / step * step;
}

}  // namespace mmo
