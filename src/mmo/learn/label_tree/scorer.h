// A probabilistic label tree as flat arrays: what a model file stores, and how rows are scored. A label's
// probability is the product of those on its path, each that of a child given its parent (Jasinska et al.
// 2016, "Extreme F-measure maximization using sparse probability estimates").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mmo/core/half.h"
#include "mmo/core/matrix.h"
#include "mmo/core/short_lists.h"

namespace mmo {

struct LabelTreeScorer {
  static constexpr std::uint32_t label_flag = 0x80000000U;

  std::size_t features = 0;
  std::size_t labels = 0;

  // Node i has the children first_child[i] … first_child[i + 1] − 1. A child is label_flag + a label, or a
  // node; nodes stand behind their parents, the first one is the root.
  std::vector<std::uint32_t> first_child{0};
  std::vector<std::uint32_t> child;
  std::vector<float> bias;  // of each child

  // The features that matter at a node (ascending), and of each the children whose logits it moves: z of a
  // child is bias + Σ weight·x.
  std::vector<std::uint64_t> first_feature{0};  // nodes + 1
  std::vector<std::uint32_t> feature;
  std::vector<std::uint64_t> first_weight{0};  // one per feature, + 1
  std::vector<std::uint16_t> sibling;          // counted from the node's first child
  std::vector<Half> weight;

  [[nodiscard]] std::size_t nodes() const { return first_child.size() - 1; }
};

// Appends to `lists`, for rows first … last − 1 of x, the best `most` labels that a beam search finds: from
// level to level the `width` most probable nodes are followed. Scores are logits of the labels'
// probabilities. At `width` = all nodes nothing is missed.
void add_short_lists(const LabelTreeScorer& scorer, const Features& x, std::size_t first, std::size_t last,
                     std::size_t most, std::size_t width, ShortLists& lists);

// For arrays from a file: throws ModelError unless every index is in range, nodes stand behind their parents,
// no node or label has two, and all numbers are finite.
void check(const LabelTreeScorer& scorer);

[[nodiscard]] std::uint64_t bytes(const LabelTreeScorer& scorer);

}  // namespace mmo
