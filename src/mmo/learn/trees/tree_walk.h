// From rows to leaves: eight rows walk a tree together, so none of them has to wait for another's memory.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mmo/learn/trees/forest_scorer.h"

namespace mmo::trees {

// One step down from an inner node.
inline bool goes_right(const ForestScorer& scorer, std::uint32_t node, const float* row) {
  const std::uint32_t word = scorer.feature[node];
  const float x = row[word & column_mask];
  const bool missing_right = (word & missing_left_flag) == 0;
  if ((word & nominal_flag) == 0) return x > scorer.threshold[node] || (std::isnan(x) && missing_right);
  const std::uint32_t count = scorer.categories[word & column_mask];
  if (!(x >= 0 && x < static_cast<float>(count))) return missing_right;
  const auto category = static_cast<std::uint32_t>(x);
  return ((scorer.set_words[scorer.set[node] + category / 32] >> (category % 32)) & 1U) == 0;
}

inline std::uint32_t leaf_of(const ForestScorer& scorer, std::size_t tree, const float* row) {
  const std::uint32_t root = scorer.roots[tree];
  std::uint32_t node = root;
  while (scorer.child[node] != 0) node = root + scorer.child[node] + (goes_right(scorer, node, row) ? 1 : 0);
  return scorer.feature[node];
}

inline constexpr std::size_t walkers = 8;

// The same for `walkers` rows of numbers: only the end of the loop depends on the data. `some_missing` false:
// no row has a NaN.
template <bool some_missing>
void leaves_of(const ForestScorer& scorer, std::size_t tree, const float* const* rows, std::uint32_t* out) {
  const std::uint32_t root = scorer.roots[tree];
  const std::uint32_t* child = scorer.child.data() + root;
  const std::uint32_t* feature = scorer.feature.data() + root;
  const float* threshold = scorer.threshold.data() + root;
  std::array<std::uint32_t, walkers> node{};
  std::uint32_t inside = 1;
  while (inside != 0) {
    inside = 0;
    for (std::size_t k = 0; k < walkers; ++k) {
      const std::uint32_t at = node[k];
      const std::uint32_t next = child[at];
      const std::uint32_t inner = -static_cast<std::uint32_t>(next != 0);  // all bits, or none at a leaf
      const std::uint32_t word = feature[at] & inner;                      // a leaf reads column 0, stays put
      const float x = rows[k][word & column_mask];
      auto right = static_cast<std::uint32_t>(x > threshold[at]);
      if constexpr (some_missing) right |= static_cast<std::uint32_t>(std::isnan(x)) & ~(word >> 31U);
      node[k] = ((next + right) & inner) | (at & ~inner);
      inside |= next;
    }
  }
  for (std::size_t k = 0; k < walkers; ++k) out[k] = feature[node[k]];
}

}  // namespace mmo::trees
