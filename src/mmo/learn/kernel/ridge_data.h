// A problem's rows and labels as the targets of a ridge regression.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/learn/kernel/kernel_ridge.h"
#include "mmo/learn/problem.h"

namespace mmo {

struct RidgeData {
  LabelMatrix labels, unknown;     // of these rows and labels; unknown: 0 rows = all known
  std::vector<float> row_weights;  // empty = all 1
  std::vector<std::uint32_t> fold_of_row;
  std::size_t folds = 0;
  DenseMatrix targets;  // +1 present, −1 absent
  std::vector<std::pair<std::uint32_t, std::uint32_t>> unknown_cells;

  [[nodiscard]] RidgeRows rows() const { return {row_weights, fold_of_row, folds}; }
  [[nodiscard]] const LabelMatrix* unknown_or_null() const { return unknown.rows > 0 ? &unknown : nullptr; }
};

// `columns` empty = all labels. If a validation file is held out for good, the remaining `rows` are dealt
// into folds in turn: choosing anything on them takes scores that have not seen them.
[[nodiscard]] RidgeData ridge_data(const Problem& problem, std::span<const std::uint32_t> rows,
                                   std::span<const std::uint32_t> columns);

}  // namespace mmo
