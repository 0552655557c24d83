// Batched limited-memory BFGS: many columns over shared data, each its own problem
//   f_c(w) = loss_c(X·w + b) + ½·ridge_c·‖w‖²,
// advanced in lock-step so that one product with X serves all of them. The solver sees only the concept
// below, never the data. Finished columns are compacted away.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "mmo/core/parallel.h"
#include "mmo/solver/column_ops.h"

namespace mmo {

// A block of losses along lines. Weights are (dimension × stride) blocks, the bias in the last row.
template <class O>
concept ColumnBlockObjective =
    requires(O o, const O co, const float* in, float* out, double* sums, std::span<const std::size_t> keep) {
      { co.dimension() } -> std::same_as<std::size_t>;  // features + 1
      { co.stride() } -> std::same_as<std::size_t>;
      o.set_point(in);         // scores of these weights
      o.diagonal(out);         // of the loss's Hessian at the point: the preconditioner
      o.set_direction(in);     // scores of this direction
      o.line_curvature(sums);  // second derivative of the loss along the direction at the point
      o.evaluate(in, sums);    // loss at point + step·direction; remembers the slopes
      o.gradient(out);         // of the last evaluated point, without the ridge
      o.advance(in);           // point += step·direction
      o.compact(keep);         // drop the columns not listed
    };

struct SolverOptions {
  double tolerance = 1e-5;  // stop when the predicted decrease −gᵀp/2 is below tolerance·f
  int max_iterations = 300;
  std::size_t memory = 8;  // pairs kept
};

enum class SolverState { converged, iteration_limit, stalled };

struct ColumnStatus {
  SolverState state = SolverState::iteration_limit;
  int iterations = 0;
  double value = 0;      // f at the end
  double decrement = 0;  // −gᵀp/2 at the end
};

// The state of one block. Slots hold the columns still being solved; `column_of` maps a slot to its column.
template <ColumnBlockObjective Objective>
class BatchedLbfgs {
 public:
  BatchedLbfgs(Objective& objective, std::span<const float> ridge, std::size_t columns,
               std::vector<float>& weights, const SolverOptions& options)
      : objective_(objective),
        options_(options),
        result_(weights),
        result_stride_(objective.stride()),
        dimension_(objective.dimension()),
        stride_(objective.stride()),
        w_(weights),
        status_(columns),
        column_of_(columns),
        ridge_(ridge.begin(), ridge.end()) {
    for (std::size_t c = 0; c < columns; ++c) column_of_[c] = c;
    for (auto* block : {&gradient_, &previous_, &direction_, &inverse_diagonal_})
      block->resize(dimension_ * stride_);
    for (auto* row : {&loss_, &value_, &slope_, &trial_, &dot_, &ww_, &wp_, &pp_}) row->resize(stride_);
    for (auto* row : {&step_, &factor_}) row->resize(stride_);
    done_.resize(stride_);
  }

  std::vector<ColumnStatus> run() {
    start();
    for (int iteration = 0;; ++iteration) {
      throw_if_cancelled();
      find_direction();
      const std::size_t active = retire_finished(iteration);
      if (active == 0) return status_;
      if (4 * padded(active) <= 3 * stride_)
        compact(padded(active));  // pays from a quarter of the columns on
      search_line(iteration == 0);
      take_step();
      // The curvature moves with the scores; a few early looks at it are worth their product.
      if (iteration == 3 || iteration == 11) refresh_preconditioner();
    }
  }

 private:
  static std::size_t padded(std::size_t columns) { return (columns + 7) / 8 * 8; }
  [[nodiscard]] std::size_t slots() const { return column_of_.size(); }

  void add_ridge(std::vector<float>& g) {
    column_axpy(ridge_.data(), w_.data(), dimension_ - 1, stride_, g.data());
  }

  void start() {
    objective_.set_point(w_.data());
    refresh_preconditioner();
    objective_.evaluate(nullptr, loss_.data());
    objective_.gradient(gradient_.data());
    add_ridge(gradient_);
    column_dot(w_.data(), w_.data(), dimension_ - 1, stride_, ww_.data());
    for (std::size_t c = 0; c < stride_; ++c) value_[c] = loss_[c] + 0.5 * ridge_[c] * ww_[c];
  }

  void refresh_preconditioner() {
    objective_.diagonal(inverse_diagonal_.data());
    invert_diagonal(ridge_.data(), dimension_, stride_, inverse_diagonal_.data());
  }

  // p = −H·g by the two-loop recursion (Nocedal & Wright, Algorithm 7.4), H₀ = 1/(diagonal + ridge).
  void find_direction() {
    direction_ = gradient_;
    alpha_.resize(pairs_.size());
    for (std::size_t j = pairs_.size(); j-- > 0;) {
      const Pair& pair = pairs_[j];
      column_dot(pair.s.data(), direction_.data(), dimension_, stride_, dot_.data());
      alpha_[j].resize(stride_);
      for (std::size_t c = 0; c < stride_; ++c) {
        alpha_[j][c] = pair.rho[c] * dot_[c];
        factor_[c] = static_cast<float>(-alpha_[j][c]);
      }
      column_axpy(factor_.data(), pair.y.data(), dimension_, stride_, direction_.data());
    }
    multiply(inverse_diagonal_.data(), dimension_ * stride_, direction_.data());
    for (std::size_t j = 0; j < pairs_.size(); ++j) {
      const Pair& pair = pairs_[j];
      column_dot(pair.y.data(), direction_.data(), dimension_, stride_, dot_.data());
      for (std::size_t c = 0; c < stride_; ++c) {
        factor_[c] = static_cast<float>(alpha_[j][c] - pair.rho[c] * dot_[c]);
      }
      column_axpy(factor_.data(), pair.s.data(), dimension_, stride_, direction_.data());
    }
    std::fill(factor_.begin(), factor_.end(), -1.0F);
    column_scale(factor_.data(), direction_.data(), dimension_, stride_, direction_.data());
    column_dot(gradient_.data(), direction_.data(), dimension_, stride_, slope_.data());
  }

  // Records where every column stands, stores the results of those that stop, returns how many go on.
  std::size_t retire_finished(int iteration) {
    std::size_t active = 0;
    for (std::size_t c = 0; c < slots(); ++c) {
      if (done_[c] == Slot::stored) continue;
      ColumnStatus& status = status_[column_of_[c]];
      status.value = value_[c];
      status.decrement = -0.5 * slope_[c];
      status.iterations = iteration;
      if (done_[c] == Slot::stalled) {
        status.state = SolverState::stalled;
      } else if (status.decrement <= options_.tolerance * std::abs(value_[c])) {
        status.state = SolverState::converged;
      } else if (iteration < options_.max_iterations && std::isfinite(value_[c])) {
        ++active;
        continue;
      }
      for (std::size_t k = 0; k < dimension_; ++k) {
        result_[k * result_stride_ + column_of_[c]] = w_[k * stride_ + c];
      }
      done_[c] = Slot::stored;
    }
    return active;
  }

  void compact(std::size_t new_stride) {
    std::vector<std::size_t> keep;
    std::vector<std::size_t> kept_columns;
    for (std::size_t c = 0; c < slots(); ++c) {
      if (done_[c] == Slot::stored) continue;
      keep.push_back(c);
      kept_columns.push_back(column_of_[c]);
    }
    objective_.compact(keep);
    const auto narrow_block = [&](std::vector<float>& block) {
      for (std::size_t k = 0; k < dimension_; ++k) {
        float* to = block.data() + k * new_stride;
        const float* from = block.data() + k * stride_;
        for (std::size_t c = 0; c < keep.size(); ++c) to[c] = from[keep[c]];
        std::fill(to + keep.size(), to + new_stride, 0.0F);
      }
      block.resize(dimension_ * new_stride);
    };
    const auto narrow_row = [&](auto& row, auto padding) {
      for (std::size_t c = 0; c < keep.size(); ++c) row[c] = row[keep[c]];
      std::fill(row.begin() + static_cast<std::ptrdiff_t>(keep.size()), row.end(), padding);
      row.resize(new_stride);
    };
    for (auto* block : {&w_, &gradient_, &previous_, &direction_, &inverse_diagonal_}) narrow_block(*block);
    for (Pair& pair : pairs_) {
      narrow_block(pair.s);
      narrow_block(pair.y);
      narrow_row(pair.rho, 0.0);
    }
    for (auto* row : {&loss_, &value_, &slope_, &trial_, &dot_, &ww_, &wp_, &pp_}) narrow_row(*row, 0.0);
    narrow_row(ridge_, 1.0F);
    for (auto* row : {&step_, &factor_}) narrow_row(*row, 0.0F);
    narrow_row(done_, Slot::active);
    column_of_ = std::move(kept_columns);
    stride_ = new_stride;
  }

  // Armijo backtracking on the scores: no further product with X. A step of 0 leaves a column where it is.
  void search_line(bool first) {
    objective_.set_direction(direction_.data());
    column_dot(w_.data(), w_.data(), dimension_ - 1, stride_, ww_.data());
    column_dot(w_.data(), direction_.data(), dimension_ - 1, stride_, wp_.data());
    column_dot(direction_.data(), direction_.data(), dimension_ - 1, stride_, pp_.data());
    std::fill(step_.begin(), step_.end(), 0.0F);
    if (first) objective_.line_curvature(dot_.data());
    for (std::size_t c = 0; c < slots(); ++c) {
      if (done_[c] == Slot::stored) continue;
      step_[c] = 1.0F;
      const double bend = first ? dot_[c] + ridge_[c] * pp_[c] : 0.0;
      if (bend > 0) step_[c] = static_cast<float>(std::min(-slope_[c] / bend, 1e3));
    }
    constexpr double sufficient = 1e-4;
    constexpr int max_backtracks = 30;
    for (int backtrack = 0;; ++backtrack) {
      objective_.evaluate(step_.data(), loss_.data());
      bool all_accepted = true;
      for (std::size_t c = 0; c < slots(); ++c) {
        if (step_[c] == 0.0F) continue;
        const double t = step_[c];
        trial_[c] = loss_[c] + 0.5 * ridge_[c] * (ww_[c] + t * (2.0 * wp_[c] + t * pp_[c]));
        if (trial_[c] <= value_[c] + sufficient * t * slope_[c]) continue;
        all_accepted = false;
        if (backtrack >= max_backtracks) {  // rounding decides: nothing left to gain
          step_[c] = 0.0F;
          done_[c] = Slot::stalled;
          continue;
        }
        // The minimum of the parabola through f(0), f′(0), f(t), kept within [0.1, 0.5] of the step.
        const double rise = trial_[c] - value_[c] - t * slope_[c];
        const double parabola = std::isfinite(rise) && rise > 0 ? -0.5 * slope_[c] * t * t / rise : 0.0;
        step_[c] = static_cast<float>(std::clamp(parabola, 0.1 * t, 0.5 * t));
      }
      if (all_accepted) return;
    }
  }

  // Moves to the accepted points and remembers the pairs s = step·p, y = g⁺ − g in the oldest one's place.
  void take_step() {
    objective_.advance(step_.data());
    column_axpy(step_.data(), direction_.data(), dimension_, stride_, w_.data());
    std::swap(previous_, gradient_);
    objective_.gradient(gradient_.data());
    add_ridge(gradient_);
    if (pairs_.size() < options_.memory) {
      pairs_.emplace_back();
    } else {
      std::rotate(pairs_.begin(), pairs_.begin() + 1, pairs_.end());
    }
    Pair& pair = pairs_.back();
    pair.s.resize(dimension_ * stride_);
    pair.rho.resize(stride_);
    column_scale(step_.data(), direction_.data(), dimension_, stride_, pair.s.data());
    pair.y = gradient_;
    std::fill(factor_.begin(), factor_.end(), -1.0F);
    column_axpy(factor_.data(), previous_.data(), dimension_, stride_, pair.y.data());
    column_dot(pair.s.data(), pair.y.data(), dimension_, stride_, dot_.data());
    for (std::size_t c = 0; c < stride_; ++c) {
      const double t = step_[c];
      if (t != 0.0) value_[c] = trial_[c];
      // The ridge alone gives sᵀy ≥ ridge·‖s‖² for a convex loss; a pair far below it is rounding.
      pair.rho[c] = dot_[c] > 0.1 * ridge_[c] * t * t * pp_[c] && dot_[c] > 0.0 ? 1.0 / dot_[c] : 0.0;
    }
  }

  // One remembered step of all columns; rho = 1/(sᵀy), 0 where the pair is unusable.
  struct Pair {
    std::vector<float> s, y;
    std::vector<double> rho;
  };
  enum class Slot : char { active, stalled, stored };

  Objective& objective_;
  SolverOptions options_;
  std::vector<float>& result_;
  std::size_t result_stride_;
  std::size_t dimension_, stride_;
  std::vector<float> w_, gradient_, previous_, direction_, inverse_diagonal_;
  std::vector<Pair> pairs_;  // oldest first
  std::vector<std::vector<double>> alpha_;
  std::vector<ColumnStatus> status_;
  std::vector<std::size_t> column_of_;
  std::vector<float> ridge_, step_, factor_;
  std::vector<double> loss_, value_, slope_, trial_, dot_;
  std::vector<double> ww_, wp_, pp_;  // w·w, w·p, p·p without the bias
  std::vector<Slot> done_;
};

// `weights` (dimension × stride) holds the start and receives the result; `ridge` has one positive entry per
// column, padding included. Returns one status per column.
template <ColumnBlockObjective Objective>
std::vector<ColumnStatus> minimise_columns(Objective& objective, std::span<const float> ridge,
                                           std::size_t columns, std::vector<float>& weights,
                                           const SolverOptions& options) {
  return BatchedLbfgs<Objective>(objective, ridge, columns, weights, options).run();
}

}  // namespace mmo
