// The rows that one of the first folds holds out, i.e. that have out-of-fold scores: all of them, fewer where
// some folds are enough, or with a separate validation file only its rows. Of them all labels or some.
#pragma once

#include <optional>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/eval/truth_rows.h"
#include "mmo/learn/problem.h"

namespace mmo {

class HeldOutRows {
 public:
  explicit HeldOutRows(const Problem& problem) : HeldOutRows(problem, problem.hold_out.folds()) {}
  // `labels` empty = all.
  HeldOutRows(const Problem& problem, std::size_t folds, std::vector<std::uint32_t> labels = {});

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const HoldOut& hold_out() const { return problem_.hold_out; }
  [[nodiscard]] Truth truth() const;
  [[nodiscard]] const std::vector<std::uint32_t>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<std::uint32_t>& fold_of_row() const { return folds_; }
  // Their scores: `scores` itself where all rows are held out and all labels meant, else copied into
  // `buffer`. Both must outlive the result.
  [[nodiscard]] const DenseMatrix& of(const DenseMatrix& scores, DenseMatrix& buffer) const;

 private:
  [[nodiscard]] bool all() const { return rows_.size() == problem_.rows() && labels_.empty(); }

  const Problem& problem_;
  std::vector<std::uint32_t> rows_, labels_, folds_;
  std::optional<TruthRows> part_;  // empty = all
};

}  // namespace mmo
