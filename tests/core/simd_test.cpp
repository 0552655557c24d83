#include "mmo/core/simd.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace mmo {
namespace {

constexpr std::size_t count = 48;  // a multiple of both widths

// x ← 2·x + 1, in vectors of the given width.
struct Double {
  float* x;
  std::size_t* width;

  template <class Vec>
  MMO_INLINE void operator()() const {
    *width = width_of<Vec>;
    for (std::size_t k = 0; k < count; k += width_of<Vec>)
      store_vector(x + k, Vec(2.0F * load_vector<Vec>(x + k) + 1.0F));
  }
};

void expect_doubled(const std::array<float, count>& x) {
  for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(x[k], 2.0F * static_cast<float>(k) + 1.0F) << k;
}

std::array<float, count> numbers() {
  std::array<float, count> x{};
  for (std::size_t k = 0; k < count; ++k) x[k] = static_cast<float>(k);
  return x;
}

TEST(Simd, EveryInstructionSetThatTheMachineHasGivesTheSame) {
  std::array<float, count> x = numbers();
  std::size_t width = 0;
  run_baseline(Double{x.data(), &width});
  expect_doubled(x);
  EXPECT_EQ(width, lanes);
#ifdef MMO_SEVERAL_TARGETS
  if (__builtin_cpu_supports("x86-64-v3") != 0) {
    x = numbers();
    run_middle(Double{x.data(), &width});
    expect_doubled(x);
    EXPECT_EQ(width, lanes);
  }
  if (__builtin_cpu_supports("x86-64-v4") != 0) {
    x = numbers();
    run_wide(Double{x.data(), &width});
    expect_doubled(x);
    EXPECT_EQ(width, 2 * lanes);
  }
#endif
}

// Bytes to floats.
struct Widen {
  const std::int8_t* from;
  float* to;

  template <class Vec>
  MMO_INLINE void operator()() const {
    for (std::size_t k = 0; k < count; k += width_of<Vec>) store_vector(to + k, load_bytes<Vec>(from + k));
  }
};

TEST(Simd, BytesBecomeFloats) {
  std::array<std::int8_t, count> from{};
  for (std::size_t k = 0; k < count; ++k) from[k] = static_cast<std::int8_t>(static_cast<int>(k) * 5 - 128);
  std::array<float, count> narrow{};
  std::array<float, count> wide{};
  run_baseline(Widen{from.data(), narrow.data()});
  in_widest_vectors(Widen{from.data(), wide.data()});
  for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(narrow[k], static_cast<float>(from[k])) << k;
  EXPECT_EQ(wide, narrow);
}

TEST(Simd, TheWidestOfThemIsTaken) {
  std::array<float, count> x = numbers();
  std::size_t width = 0;
  in_widest_vectors(Double{x.data(), &width});
  expect_doubled(x);
#ifdef MMO_SEVERAL_TARGETS
  EXPECT_EQ(width, __builtin_cpu_supports("x86-64-v4") != 0 ? 2 * lanes : lanes);
#else
  EXPECT_EQ(width, lanes);
#endif
}

}  // namespace
}  // namespace mmo
