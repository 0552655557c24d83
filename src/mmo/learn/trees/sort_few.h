// The order of a few bins without a branch: most nodes of a tree have few rows, and there a counting sort's
// mispredicted loops cost more than the sort.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mmo::trees {

inline constexpr std::size_t few_bins = 32;

// order[k] = the position of the k-th lowest of bins[0 … count − 1] (equal ones by position), sorted[k] = its
// bin; count ≤ few_bins. `bins` and `sorted` have room for few_bins.
void sort_few(const std::uint8_t* bins, std::size_t count, std::uint32_t* order, std::uint8_t* sorted);

}  // namespace mmo::trees
