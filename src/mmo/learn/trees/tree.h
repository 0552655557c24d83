// One grown tree, before it joins others in a scorer.
#pragma once

#include <cstdint>
#include <vector>

namespace mmo::trees {

// Node 0 is the root; children are adjacent and come after their parent: `child` is the left one, child + 1
// the right one, 0 means a leaf.
struct Tree {
  std::vector<std::uint32_t> feature;  // column | flags below; in a leaf: its index
  std::vector<float> threshold;        // x ≤ threshold goes left
  std::vector<std::uint32_t> child;
  std::vector<std::uint32_t> set;        // of nodes on categories: where their words start in set_words
  std::vector<std::uint32_t> set_words;  // bit c: category c goes left

  std::uint32_t add_node() {
    feature.push_back(0);
    threshold.push_back(0);
    child.push_back(0);
    set.push_back(0);
    return static_cast<std::uint32_t>(child.size() - 1);
  }
};

inline constexpr std::uint32_t missing_left_flag = 0x80000000U;
inline constexpr std::uint32_t nominal_flag = 0x40000000U;
inline constexpr std::uint32_t column_mask = 0x3FFFFFFFU;

}  // namespace mmo::trees
