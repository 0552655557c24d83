#include "mmo/learn/kernel/ridge_data.h"

namespace mmo {

RidgeData ridge_data(const Problem& problem, std::span<const std::uint32_t> rows,
                     std::span<const std::uint32_t> columns) {
  const auto part = [&](const LabelMatrix& y) {
    LabelMatrix own = take_rows(y, rows);
    return columns.empty() ? own : take_columns(own, columns);
  };
  RidgeData out;
  out.labels = part(*problem.labels);
  if (problem.unknown != nullptr && problem.unknown->rows > 0) out.unknown = part(*problem.unknown);
  if (!problem.row_weights.empty()) {
    for (const std::uint32_t i : rows) out.row_weights.push_back(problem.row_weights[i]);
  }
  constexpr std::uint32_t own_folds = 5;
  const bool validation = problem.hold_out.is_validation();
  out.folds = validation ? own_folds : problem.hold_out.folds();
  for (std::size_t a = 0; a < rows.size(); ++a)
    out.fold_of_row.push_back(validation ? static_cast<std::uint32_t>(a) % own_folds
                                         : problem.hold_out.fold_of_row()[rows[a]]);
  out.targets = DenseMatrix(out.labels.rows, out.labels.cols, -1.0F);
  for (std::size_t i = 0; i < out.labels.rows; ++i) {
    for (const std::uint32_t j : out.labels.row(i)) out.targets(i, j) = 1;
    if (out.unknown.rows == 0) continue;
    for (const std::uint32_t j : out.unknown.row(i)) {
      out.targets(i, j) = 0;
      out.unknown_cells.emplace_back(static_cast<std::uint32_t>(i), j);
    }
  }
  return out;
}

}  // namespace mmo
