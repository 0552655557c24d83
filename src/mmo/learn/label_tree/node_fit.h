// One node of a label tree: which children does a row of the node have?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mmo/core/half.h"
#include "mmo/core/matrix.h"
#include "mmo/learn/label_tree/label_tree.h"

namespace mmo {

// Arrays as in LabelTreeScorer, of this node alone; `ends` are those of each feature's weights.
struct FittedNode {
  std::vector<float> bias;
  std::vector<std::uint32_t> feature;
  std::vector<std::uint64_t> ends;
  std::vector<std::uint16_t> sibling;
  std::vector<Half> weight;
};

// `rows` (ascending) are those that have any of the children, rows_of_child those of each, as positions in
// `rows`.
[[nodiscard]] FittedNode fit_node(const CsrMatrix& x, std::span<const std::uint32_t> rows,
                                  const LabelMatrix& rows_of_child, std::span<const float> row_weights,
                                  const LabelTreeOptions& options);

}  // namespace mmo
