// How a label tree is fitted: labels with similar rows are put together, then every node learns on the rows
// that have one of its labels which of its children have one (Prabhu et al. 2018, "Parabel"; Khandagale et
// al. 2020, "Bonsai"). A label so meets only rows that could be confused with its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mmo/core/matrix.h"
#include "mmo/learn/label_tree/scorer.h"

namespace mmo {

struct LabelTreeOptions {
  std::size_t arity = 16;   // children of an inner node, at most
  std::size_t leaf = 128;   // labels below the last nodes, at most
  float ridge = 0.1F;       // of every child: logistic loss + ½·ridge·‖w‖²
  float smallest = 0.1F;    // weights nearer to 0 are dropped
  double tolerance = 1e-2;  // of the solver
  int passes = 16;          // over a node's rows, at most
  std::uint64_t seed = 1;   // of the clusters' first guesses
};

// Labels without positives are in no tree: no short list has them. `row_weights`: one per row, or empty.
// Throws UsageError where no label has positives.
[[nodiscard]] LabelTreeScorer fit_label_tree(const CsrMatrix& x, const LabelMatrix& labels,
                                             std::span<const float> row_weights,
                                             const LabelTreeOptions& options);

}  // namespace mmo
