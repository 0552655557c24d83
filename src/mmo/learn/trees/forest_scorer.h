// Trees as flat arrays: what a model file stores for forests and boosted trees, and how they score rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mmo/core/table.h"
#include "mmo/learn/trees/tree.h"

namespace mmo {

struct ForestScorer {
  // How a row's leaf values, summed over trees, become logits z_j; T = trees.
  //   shares  p = (1 − smoothing)·sum / T + smoothing·base_j, z = log(p / (1 − p))
  //   logits  z = base_j + sum
  enum class Link : std::uint8_t { shares, logits };

  std::size_t columns = 0;  // of the table
  std::size_t labels = 0;
  std::vector<std::uint32_t> categories;  // of each column, 0 = a number; empty = numbers only

  std::vector<std::uint32_t> roots;  // trees + 1: where each tree's nodes start
  // Per node. The left child of node i is at child[i], counted from the root, with the right one next to it;
  // 0 = a leaf.
  std::vector<std::uint32_t> child;
  // A leaf's index, or the column with trees::missing_left_flag and trees::nominal_flag.
  std::vector<std::uint32_t> feature;
  std::vector<float> threshold;          // numbers: x ≤ threshold goes left
  std::vector<std::uint32_t> set;        // categories: its first word; empty = numbers only
  std::vector<std::uint32_t> set_words;  // bit c: category c goes left

  // Per leaf: the labels with a value other than 0 (ascending). Leaves with equal values are stored once.
  std::vector<std::uint32_t> leaf_offsets{0};
  std::vector<std::uint32_t> leaf_labels;
  std::vector<float> leaf_values;

  Link link = Link::shares;
  std::vector<float> base;  // per label
  float smoothing = 0;

  [[nodiscard]] std::size_t trees() const { return roots.empty() ? 0 : roots.size() - 1; }
  [[nodiscard]] std::size_t leaves() const { return leaf_offsets.size() - 1; }
};

// Adds the logits of rows first … last − 1 to out (row-major, labels wide). The table has the scorer's
// columns.
void add_scores(const ForestScorer& scorer, const Table& table, std::size_t first, std::size_t last,
                float* out);

// For arrays from a file: throws ModelError unless every index is in range, children come after their parents
// within their tree and all numbers are finite.
void check(const ForestScorer& scorer);

[[nodiscard]] std::uint64_t bytes(const ForestScorer& scorer);

}  // namespace mmo
