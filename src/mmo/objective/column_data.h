// What gets solved: columns, and the rows they all share. A column is one binary problem: one label, trained
// on all rows but one fold (or on all), with its costs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/objective/banded_transpose.h"
#include "mmo/objective/whitening.h"

namespace mmo {

struct Column {
  std::uint32_t label = 0;
  std::int32_t held_out = -1;  // this fold's rows are left out; −1 = none
  float positive = 1;          // cost of missing a positive (a)
  float negative = 1;          // cost of a false positive (b)
  float ridge = 1;             // L2

  // Both costs negative: mistakes are the cheap predictions, so |a| and |b| belong to the opposite signs. A
  // score ≥ 0 still means "predict". If only one is negative, the column can't be trained: every cell would
  // want the same sign.
  [[nodiscard]] bool flipped() const { return positive < 0 && negative < 0; }
};

// What all columns share. Nothing is owned.
struct ColumnData {
  const Features* x = nullptr;
  const LabelMatrix* rows_of_label = nullptr;          // transposed labels: l × n
  const LabelMatrix* unknown_rows_of_label = nullptr;  // transposed unknown cells, or null
  std::span<const float> row_weights = {};             // n, or empty
  std::span<const std::uint32_t> fold_of_row = {};     // n, or empty if no column holds out rows
  std::span<const float> row_cost = {};                // joint loss: A_i
  // Xᵀ for sparse X, null for dense. The exact diagonal of the Hessian preconditions sparse columns, the mean
  // curvature times `sizes` dense ones that are not whitened.
  const LazyTranspose* transposed = nullptr;
  std::span<const float> sizes = {};     // d + 1: Σ_i weight·x_ik², bias last
  const Whitening* whitening = nullptr;  // of dense X, for columns of its ridge, or null
};

// Σ_i weight_i·x_ik² per feature, then Σ_i weight_i: `sizes` of ColumnData.
[[nodiscard]] std::vector<float> column_sizes(const Features& x, std::span<const float> row_weights);

}  // namespace mmo
