// Checks flags that are whole numbers, for transform(): CLI11 itself reads 010 as 8, 0x10 as 16 and 2⁷⁰ as
// the largest number it can hold.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace mmo::cli {

// Decimal digits for a number within [low, high].
[[nodiscard]] CLI::Validator whole_number(std::uint64_t low,
                                          std::uint64_t high = std::numeric_limits<std::uint64_t>::max());

}  // namespace mmo::cli
