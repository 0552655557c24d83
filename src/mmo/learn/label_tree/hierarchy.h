// Which labels stand together in a tree: balanced 2-means over the mean rows of the labels, again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

struct LabelHierarchy {
  // Of every node its children: nodes behind it, or, in the last nodes, labels. The first node is the root.
  struct Node {
    std::vector<std::uint32_t> children;
    bool has_labels = false;
  };
  std::vector<Node> nodes;
};

// Of each label the sum of its rows, scaled to length 1, its `most` largest values; no values without rows.
[[nodiscard]] CsrMatrix label_means(const CsrMatrix& x, const LabelMatrix& rows_of_label, std::size_t most);

// The labels (ascending) in a tree whose inner nodes have at most `arity` children and whose last nodes at
// most `leaf` labels, as evenly as it goes.
[[nodiscard]] LabelHierarchy cluster_labels(const CsrMatrix& means, const std::vector<std::uint32_t>& labels,
                                            std::size_t arity, std::size_t leaf, std::uint64_t seed);

}  // namespace mmo
