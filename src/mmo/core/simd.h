// Portable vectors with run-time dispatch: functions marked MMO_SIMD are compiled once per instruction set
// and the best one for the machine is chosen when the program starts; the baseline runs everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
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
#define MMO_WIDE __attribute__((target("arch=x86-64-v4")))
#define MMO_MIDDLE __attribute__((target("arch=x86-64-v3")))
#define MMO_SEVERAL_TARGETS 1
#else
#define MMO_SIMD
#define MMO_WIDE
#define MMO_MIDDLE
#endif
#define MMO_INLINE [[gnu::always_inline]] inline
#define MMO_INLINE_LAMBDA __attribute__((always_inline))

namespace mmo {

// Vectors are passed only between functions that are always inlined, so no call's ABI is at stake.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

// Eight floats; wider or narrower machines split or pair them.
using Vec8 = float __attribute__((vector_size(32)));
inline constexpr std::size_t lanes = 8;

// Sixteen floats, only within run_wide: elsewhere compilers split such vectors badly.
using Vec16 = float __attribute__((vector_size(64)));

template <class Vec>
inline constexpr std::size_t width_of = sizeof(Vec) / sizeof(float);

// As many integers as a vector has floats; for one float, one.
template <class Vec>
struct IntegersOf;
template <>
struct IntegersOf<float> {
  using Words = std::uint32_t;
};
template <>
struct IntegersOf<Vec8> {
  using Bytes = std::int8_t __attribute__((vector_size(8)));
  using Halves = std::uint16_t __attribute__((vector_size(16)));
  using Words = std::uint32_t __attribute__((vector_size(32)));
  using SignedHalves = std::int16_t __attribute__((vector_size(16)));
  using SignedWords = std::int32_t __attribute__((vector_size(32)));
};
template <>
struct IntegersOf<Vec16> {
  using Bytes = std::int8_t __attribute__((vector_size(16)));
  using Halves = std::uint16_t __attribute__((vector_size(32)));
  using Words = std::uint32_t __attribute__((vector_size(64)));
  using SignedHalves = std::int16_t __attribute__((vector_size(32)));
  using SignedWords = std::int32_t __attribute__((vector_size(64)));
};

template <class Vec>
MMO_INLINE Vec load_vector(const float* from) {
  Vec v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class Vec>
MMO_INLINE void store_vector(float* to, const Vec& v) {
  std::memcpy(to, &v, sizeof v);
}
// Small integers as floats.
template <class Vec>
MMO_INLINE Vec load_bytes(const std::int8_t* from) {
  typename IntegersOf<Vec>::Bytes bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  // Twice as wide each time: gcc 12 breaks up a direct conversion.
  const auto halves = __builtin_convertvector(bytes, typename IntegersOf<Vec>::SignedHalves);
  return __builtin_convertvector(__builtin_convertvector(halves, typename IntegersOf<Vec>::SignedWords), Vec);
}
MMO_INLINE Vec8 load8(const float* from) { return load_vector<Vec8>(from); }
MMO_INLINE void store8(float* to, const Vec8& v) { store_vector(to, v); }

// body<Vec16>() where the machine has such vectors, else body<Vec8>(), compiled for each instruction set:
// MMO_SIMD for code that is templated on its vector type. The body is copied so that its captures can stay in
// registers.
template <class Body>
MMO_WIDE void run_wide(Body body) {
  body.template operator()<Vec16>();
}
template <class Body>
MMO_MIDDLE void run_middle(Body body) {
  body.template operator()<Vec8>();
}
template <class Body>
void run_baseline(Body body) {
  body.template operator()<Vec8>();
}
template <class Body>
void in_widest_vectors(const Body& body) {
#ifdef MMO_SEVERAL_TARGETS
  if (__builtin_cpu_supports("x86-64-v4") != 0) return run_wide(body);
  if (__builtin_cpu_supports("x86-64-v3") != 0) return run_middle(body);
#endif
  run_baseline(body);
}

[[nodiscard]] constexpr std::size_t round_up(std::size_t n, std::size_t step) {
  return (n + step - 1) / step * step;
}

}  // namespace mmo
