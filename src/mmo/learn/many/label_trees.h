// Scores of very many labels: the mean logits of a few label trees that differ in how they cluster labels,
// calibrated. Only each row's best labels have a score.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/core/short_lists.h"
#include "mmo/learn/label_tree/label_tree.h"
#include "mmo/learn/label_tree/scorer.h"

namespace mmo {

struct LabelTrees {
  std::vector<LabelTreeScorer> trees;
  std::size_t length = 100;  // of a row's list
  std::size_t width = 10;    // nodes of a level that are followed
  // z_j = scale_j·(mean of the trees' logits) + shift_j, one of both for each label
  std::vector<float> scale, shift;

  [[nodiscard]] std::size_t labels() const { return shift.size(); }
  [[nodiscard]] std::size_t features() const { return trees.empty() ? 0 : trees.front().features; }
};

// Not calibrated: scale 1, shift 0. Tree t is made with the seed options.seed + t.
[[nodiscard]] LabelTrees fit_label_trees(const CsrMatrix& x, const LabelMatrix& labels,
                                         std::span<const float> row_weights, const LabelTreeOptions& options,
                                         std::size_t count);

// Appends the lists of rows first … last − 1 of x, whose features are mapped already. A label that one tree's
// list lacks has that list's last score there.
void add_short_lists(const LabelTrees& scorer, const Features& x, std::size_t first, std::size_t last,
                     ShortLists& out);

// Throws ModelError where arrays from a file do not fit together.
void check(const LabelTrees& scorer);

}  // namespace mmo
