// Sorts a few bins without branches: most nodes of a tree have few rows, where the mispredicted loops of a
// counting sort cost more than the sorting.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mmo::trees {

inline constexpr std::size_t few_bins = 32;

// order[k] = the position of the k-th lowest of bins[0 … count − 1] (equal ones by position), sorted[k] = its
// bin; count ≤ few_bins. `bins` and `sorted` have room for few_bins.
void sort_few(const std::uint8_t* bins, std::size_t count, std::uint32_t* order, std::uint8_t* sorted);

}  // namespace mmo::trees
