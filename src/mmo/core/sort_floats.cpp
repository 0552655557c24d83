#include "mmo/core/sort_floats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace mmo {
namespace {

constexpr std::size_t few = 64;     // below this, comparing beats counting,
constexpr std::size_t some = 4096;  // and below this, shorter digits win despite one more pass
constexpr std::uint32_t sign_bit = 0x80000000U;

// Unsigned numbers in the order of the floats: a set sign reverses the order of the other bits.
std::uint32_t key_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & sign_bit) != 0 ? ~bits : bits | sign_bit;
}
float value_of(std::uint32_t key) {
  return std::bit_cast<float>((key & sign_bit) != 0 ? key & ~sign_bit : ~key);
}

// Radix sort, lowest digit first; a digit that all values share is skipped.
template <unsigned digit_bits>
void radix_sort(std::vector<float>& values) {
  constexpr std::size_t digits = (32 + digit_bits - 1) / digit_bits;
  constexpr std::size_t digit_values = std::size_t{1} << digit_bits;
  const auto digit = [](std::uint32_t key, std::size_t d) {
    return (key >> (digit_bits * static_cast<unsigned>(d))) % digit_values;
  };
  std::vector<std::uint32_t> keys(values.size());
  std::array<std::array<std::uint32_t, digit_values>, digits> counts{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    keys[i] = key_of(values[i]);
    for (std::size_t d = 0; d < digits; ++d) ++counts[d][digit(keys[i], d)];
  }
  std::vector<std::uint32_t> sorted(values.size());
  for (std::size_t d = 0; d < digits; ++d) {
    if (counts[d][digit(keys[0], d)] == keys.size()) continue;
    std::array<std::uint32_t, digit_values> place{};
    for (std::size_t v = 1; v < digit_values; ++v) place[v] = place[v - 1] + counts[d][v - 1];
    for (const std::uint32_t key : keys) sorted[place[digit(key, d)]++] = key;
    std::swap(keys, sorted);
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(keys[i]);
}

}  // namespace

void sort_floats(std::vector<float>& values) {
  if (values.size() < few) {
    std::sort(values.begin(), values.end());
  } else if (values.size() < some) {
    radix_sort<8>(values);
  } else {
    radix_sort<11>(values);
  }
}

}  // namespace mmo
