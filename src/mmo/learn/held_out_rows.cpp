#include "mmo/learn/held_out_rows.h"

#include <utility>

namespace mmo {

HeldOutRows::HeldOutRows(const Problem& problem, std::size_t folds, std::vector<std::uint32_t> labels)
    : problem_(problem), labels_(std::move(labels)) {
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const std::uint32_t fold = problem.hold_out.fold_of_row()[i];
    if (fold >= folds) continue;
    rows_.push_back(static_cast<std::uint32_t>(i));
    folds_.push_back(fold);
  }
  if (!all()) part_.emplace(problem.truth(), rows_, labels_);
}

Truth HeldOutRows::truth() const { return part_ ? part_->truth() : problem_.truth(); }

const DenseMatrix& HeldOutRows::of(const DenseMatrix& scores, DenseMatrix& buffer) const {
  if (all()) return scores;  // NOLINT(bugprone-return-const-ref-from-parameter): the header says so
  if (labels_.empty()) {
    buffer = take_rows(scores, rows_);
    return buffer;
  }
  buffer = DenseMatrix(rows_.size(), labels_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto from = scores.row(rows_[i]);
    const auto to = buffer.row(i);
    for (std::size_t k = 0; k < labels_.size(); ++k) to[k] = from[labels_[k]];
  }
  return buffer;
}

}  // namespace mmo
