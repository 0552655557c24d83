// A number for each row that depends on its contents, not its position: draws based on it are the same
// however the rows are ordered. Equal rows are told apart by how many of them came before.
#pragma once

#include <cstdint>
#include <vector>

#include "mmo/core/table.h"
#include "mmo/eval/evaluate.h"

namespace mmo::trees {

[[nodiscard]] std::vector<std::uint64_t> row_keys(const Table& table, const Truth& truth);

// Mixes all bits (splitmix64's last step).
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

}  // namespace mmo::trees
