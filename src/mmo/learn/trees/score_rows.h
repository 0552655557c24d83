// Sums of the trees' leaf values for blocks of rows, used by prediction and out-of-bag scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "mmo/core/table.h"
#include "mmo/learn/trees/forest_scorer.h"

namespace mmo::trees {

// The rows of a block as contiguous raw numbers: views of a dense table, copies of a sparse one.
class RowBlock {
 public:
  RowBlock(const Table& table, std::size_t first, std::size_t last);
  [[nodiscard]] const float* row(std::size_t k) const { return rows_[k]; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] bool some_missing() const { return some_missing_; }

 private:
  std::vector<float> copied_;
  std::vector<const float*> rows_;
  bool some_missing_ = false;
};

// How many rows to score at once.
[[nodiscard]] std::size_t block_rows(const Table& table);

// Whether a tree counts for a row.
using Counts = std::function<bool(std::size_t tree, std::size_t row)>;

// Adds the leaves' values to `sums` (rows × labels), in the order of the trees; trees_of_row counts them.
// Null `counts` = all trees.
void add_leaves(const ForestScorer& scorer, const RowBlock& block, std::size_t first, const Counts& counts,
                float* sums, std::uint32_t* trees_of_row);

// Adds one row's logits (forest_scorer.h) to out.
void add_logits(const ForestScorer& scorer, const float* sums, std::size_t trees, float* out);

}  // namespace mmo::trees
