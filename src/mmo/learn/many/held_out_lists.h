// Short lists of rows by label trees that have not seen them, and what they can and can't tell.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/core/short_lists.h"
#include "mmo/learn/many/label_trees.h"
#include "mmo/learn/problem.h"

namespace mmo {

struct LabelTreesOptions {
  LabelTreeOptions tree;
  std::size_t count = 3;
  std::size_t length = 100;
};

// The trees from the rows outside of the fold `held_out` (−1: all rows). Labels that are not trainable, and
// cells that are unknown, count as absent.
[[nodiscard]] LabelTrees fit_label_trees(const Problem& problem, const CsrMatrix& x, std::int32_t held_out,
                                         const LabelTreesOptions& options);

// Lists of the rows of the first `folds` folds, in the rows' order. Not calibrated. `stop`, polled between
// folds, ends it early: `folds` becomes what has been done.
[[nodiscard]] ShortLists held_out_lists(const Problem& problem, const CsrMatrix& x,
                                        const LabelTreesOptions& options, const std::function<bool()>& stop,
                                        std::size_t& folds);

// Positive cells of the given rows whose label has no positive outside of the row's fold: the fit that scored
// them could not know the label. What was unknown before is unknown here, too.
[[nodiscard]] LabelMatrix unlearnable_cells(const Problem& problem, std::span<const std::uint32_t> rows);

}  // namespace mmo
