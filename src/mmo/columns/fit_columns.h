// Solves any number of columns: cut into fixed blocks, one task each. A column's result depends neither on
// the number of threads nor on the other columns.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mmo/core/line_vector.h"
#include "mmo/core/parallel.h"
#include "mmo/loss/column_loss.h"
#include "mmo/objective/column_data.h"
#include "mmo/objective/dual_group.h"
#include "mmo/solver/solver_status.h"

namespace mmo {

// Columns per block. Every walk over X serves all of them; but where L-BFGS's vectors outgrow the
// second-level cache (beyond 16,384 rows and features) or make up most of the work (few non-zeros per row and
// feature), narrower blocks gain more than the extra walk costs. `has_start`: there are weights to start
// from, see ColumnStart.
[[nodiscard]] std::size_t columns_per_block(const Features& x, const ColumnLoss& loss, bool has_start);

// A solved block: weights are (d + 1) × stride, bias last; slot c belongs to columns[first + c].
struct SolvedBlock {
  std::size_t first = 0, count = 0, stride = 0;
  LineVector<float> weights;
  DualGroup::Solved dual;  // if options.keep_duals asks for it and dual descent solved all columns
  std::vector<ColumnStatus> status;
};

// Changes a block's (d + 1) × stride weights, zeros with the best constant as bias, before solving.
using BlockStart =
    std::function<void(std::size_t first, std::size_t count, std::size_t stride, LineVector<float>& weights)>;

// Where columns start; either may be missing.
struct ColumnStart {
  // Columns that dual descent solves (sparse ones: squared hinge, and logistic with few non-zeros) don't use
  // it, unless time runs out before their first pass.
  BlockStart weights;
  // The same columns in the same blocks, solved with another ridge and the same costs: where duals were kept,
  // dual descent continues from them.
  const std::vector<SolvedBlock>* solved = nullptr;
};

// The blocks of any number of columns, to be solved one by one. Owns nothing. `width` is the number of
// columns per block, a multiple of 8; 0 means columns_per_block, which is fastest. Narrower blocks take less
// memory.
class ColumnBlocks {
 public:
  ColumnBlocks(const ColumnData& data, const ColumnLoss& loss, std::span<const Column> columns,
               const SolverOptions& options, const ColumnStart& start, std::size_t width = 0);

  [[nodiscard]] std::size_t count() const { return range_count(columns_.size(), width_); }
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] SolvedBlock solve(std::size_t block) const;

 private:
  const ColumnData& data_;
  const ColumnLoss& loss_;
  std::span<const Column> columns_;
  const SolverOptions& options_;
  const ColumnStart& start_;
  std::size_t width_;
  std::vector<float> lengths_;  // of the rows; empty: no dual descent
  float mean_length_ = 1;
};

// Solves all of them. `finish` receives every solved block, from several threads at once.
void fit_columns(const ColumnData& data, const ColumnLoss& loss, std::span<const Column> columns,
                 const SolverOptions& options, const ColumnStart& start,
                 const std::function<void(SolvedBlock&&)>& finish, std::size_t width = 0);

}  // namespace mmo
