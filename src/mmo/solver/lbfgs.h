// Batched limited-memory BFGS: many columns over shared data, each a problem by itself
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

#include "mmo/core/keep_columns.h"
#include "mmo/core/line_vector.h"
#include "mmo/core/parallel.h"
#include "mmo/solver/column_ops.h"
#include "mmo/solver/solver_status.h"

namespace mmo {

// A block of losses of scores. Weights are (dimension × stride) blocks, the bias in the last row.
template <class O>
concept ColumnBlockObjective =
    requires(O o, const O co, const float* in, float* out, double* sums, std::span<const std::size_t> keep) {
      { co.rows() } -> std::same_as<std::size_t>;
      { co.dimension() } -> std::same_as<std::size_t>;  // features + 1
      { co.stride() } -> std::same_as<std::size_t>;
      co.scores(in, out);  // of weights or of a direction: rows × stride
      co.evaluate(in, in, in, out,
                  sums);      // z, dz, step → slopes ∂loss/∂z and the loss at z + step·dz; dz may be null
      co.gradient(in, out);   // slopes → the loss's gradient by the weights
      co.curvature(in, out);  // z → ∂²loss/∂z² of every cell
      co.diagonal(in, out);   // curvatures → diagonal of the loss's Hessian by the variables
      o.compact(keep);        // drop the columns not listed
      // The recursion's variables, if they are not the weights themselves.
      { co.whitened() } -> std::same_as<bool>;
      co.to_gradient(out);   // gradients by the weights become gradients by the variables
      co.to_direction(out);  // directions of the variables become directions of the weights
    };

// The state of one block. Slots hold columns still being solved; `column_of` maps a slot to its column.
template <ColumnBlockObjective Objective>
class BatchedLbfgs {
 public:
  BatchedLbfgs(Objective& objective, std::span<const float> ridge, LineVector<float>& weights,
               const SolverOptions& options, std::span<ColumnStatus> status)
      : objective_(objective),
        options_(options),
        result_(weights),
        result_stride_(objective.stride()),
        dimension_(objective.dimension()),
        stride_(objective.stride()),
        w_(weights),
        status_(status),
        column_of_(status.size()),
        ridge_(ridge.begin(), ridge.end()) {
    for (std::size_t c = 0; c < status.size(); ++c) column_of_[c] = c;
    for (auto* block : {&gradient_, &direction_, &inverse_diagonal_}) block->resize(dimension_ * stride_);
    for (auto* row : {&loss_, &value_, &slope_, &trial_, &dot_, &ww_, &wp_, &pp_}) row->resize(stride_);
    for (auto* block : {&z_, &dz_, &cells_}) block->resize(objective.rows() * stride_);
    step_.resize(stride_);
    done_.resize(stride_);
    for (std::size_t c = 0; c < status.size(); ++c) {
      if (status[c].state == SolverState::converged) done_[c] = Slot::stored;
      start_iterations_.push_back(status[c].iterations);
    }
  }

  void run() {
    start();
    for (int iteration = 0;; ++iteration) {
      throw_if_cancelled();
      find_direction();
      const std::size_t active = retire_finished(iteration);
      if (active == 0) return;
      if (4 * padded(active) <= 3 * stride_)
        compact(padded(active));  // pays once a quarter of the columns are done
      search_line(iteration == 0);
      take_step();
      // The curvature moves with the scores; a couple of early updates are worth their product.
      if (iteration == 3 || iteration == 11) refresh_preconditioner();
    }
  }

 private:
  static std::size_t padded(std::size_t columns) { return (columns + 7) / 8 * 8; }
  [[nodiscard]] std::size_t slots() const { return column_of_.size(); }

  void start() {
    objective_.scores(w_.data(), z_.data());
    refresh_preconditioner();
    objective_.evaluate(z_.data(), nullptr, nullptr, cells_.data(), loss_.data());
    objective_.gradient(cells_.data(), gradient_.data());
    finish_gradient();
    for (std::size_t c = 0; c < stride_; ++c) value_[c] = loss_[c] + 0.5 * ridge_[c] * ww_[c];
  }

  // The loss's gradient becomes the objective's, by the variables.
  void finish_gradient() {
    add_ridge(ridge_.data(), w_.data(), dimension_, stride_, gradient_.data(), ww_.data());
    if (objective_.whitened()) objective_.to_gradient(gradient_.data());
  }

  void refresh_preconditioner() {
    objective_.curvature(z_.data(), cells_.data());
    objective_.diagonal(cells_.data(), inverse_diagonal_.data());
    invert_diagonal(ridge_.data(), dimension_, stride_, inverse_diagonal_.data());
    stale_ = pairs_.size();
  }

  // p = −H·g by the two-loop recursion (Nocedal & Wright, Algorithm 7.4), H₀ = 1/(diagonal + ridge):
  //   q = g − Σ_i α_i·y_i                  with α_i = ρ_i·s_iᵀq, latest pair first,
  //   p = −(H₀·q + Σ_i (α_i − β_i)·s_i)    with β_i = ρ_i·y_iᵀ(H₀·q + Σ_{j<i} (α_j − β_j)·s_j).
  // The recursion runs on the products of the vectors, so that every vector passes through memory twice.
  void find_direction() {
    std::vector<StepPair> vectors;
    vectors.reserve(pairs_.size());
    for (const Pair& pair : pairs_) vectors.push_back({pair.s.data(), pair.y.data()});
    multiply_pairs(vectors);
    combine_pairs(vectors);
    if (forget_ascending()) combine_pairs(vectors);
    if (!objective_.whitened()) return;
    weight_direction_ = direction_;
    objective_.to_direction(weight_direction_.data());
    direction_sums(w_.data(), weight_direction_.data(), dimension_, stride_, wp_.data(), pp_.data());
  }

  [[nodiscard]] const float* weight_direction() const {
    return objective_.whitened() ? weight_direction_.data() : direction_.data();
  }

  void combine_pairs(const std::vector<StepPair>& vectors) {
    const std::size_t m = pairs_.size();
    inner_.assign(m * stride_, 0.0F);
    outer_.assign(m * stride_, 0.0F);
    std::vector<double> alpha(m);
    std::vector<double> left(m);  // α − β
    for (std::size_t c = 0; c < stride_; ++c) {
      for (std::size_t i = m; i-- > 0;) {
        double s_q = pairs_[i].s_g[c];
        for (std::size_t j = i + 1; j < m; ++j) s_q -= alpha[j] * pairs_[j].s_y[i][c];
        alpha[i] = pairs_[i].rho[c] * s_q;
      }
      for (std::size_t i = 0; i < m; ++i) {
        double y_r = pairs_[i].y_hg[c];
        for (std::size_t j = 0; j < m; ++j) y_r -= alpha[j] * pairs_[std::max(i, j)].y_hy[std::min(i, j)][c];
        for (std::size_t j = 0; j < i; ++j) y_r += left[j] * pairs_[i].s_y[j][c];
        left[i] = alpha[i] - pairs_[i].rho[c] * y_r;
      }
      for (std::size_t i = 0; i < m; ++i) {
        inner_[i * stride_ + c] = static_cast<float>(-alpha[i]);
        outer_[i * stride_ + c] = static_cast<float>(left[i]);
      }
    }
    combine_direction(vectors, inner_.data(), outer_.data(), gradient_.data(), inverse_diagonal_.data(),
                      w_.data(), dimension_, stride_, direction_.data(),
                      {slope_.data(), wp_.data(), pp_.data()});
  }

  // Products of nearly parallel pairs can cancel down to rounding: a column whose direction then points
  // uphill drops its pairs.
  bool forget_ascending() {
    bool any = false;
    for (std::size_t c = 0; c < slots(); ++c) {
      if (done_[c] != Slot::active || !(slope_[c] > 0.0)) continue;
      for (Pair& pair : pairs_) {
        any = any || pair.rho[c] != 0.0;
        pair.rho[c] = 0.0;
      }
    }
    return any;
  }

  // Products of the latest pair with the others and of all with the gradient; a new H₀ changes every yᵀH₀y.
  void multiply_pairs(const std::vector<StepPair>& vectors) {
    const std::size_t m = pairs_.size();
    for (std::size_t j = m - std::min(m, std::max<std::size_t>(stale_, 1)); j < m; ++j) {
      Pair& latest = pairs_[j];
      latest.s_y.assign(j + 1, std::vector<double>(stride_));
      latest.y_hy.assign(j + 1, std::vector<double>(stride_));
      std::vector<PairProducts> products;
      for (std::size_t i = 0; i <= j; ++i) {
        products.push_back(
            {pairs_[i].s_g.data(), pairs_[i].y_hg.data(), latest.s_y[i].data(), latest.y_hy[i].data()});
      }
      pair_products(std::span(vectors).first(j + 1), gradient_.data(), inverse_diagonal_.data(),
                    latest.y.data(), dimension_, stride_, products);
    }
    stale_ = 0;
  }

  // Records every column's state, stores the results of those that stop, returns how many continue.
  std::size_t retire_finished(int iteration) {
    std::size_t active = 0;
    const bool limit = iteration >= options_.max_iterations || (options_.stop && options_.stop());
    for (std::size_t c = 0; c < slots(); ++c) {
      if (done_[c] == Slot::stored) continue;
      ColumnStatus& status = status_[column_of_[c]];
      status.value = value_[c];
      status.decrement = -0.5 * slope_[c];
      status.iterations = start_iterations_[column_of_[c]] + iteration;
      if (done_[c] == Slot::stalled) {
        status.state = SolverState::stalled;
      } else if (status.decrement <= options_.tolerance * std::abs(value_[c])) {
        status.state = SolverState::converged;
      } else if (!limit && std::isfinite(value_[c])) {
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
    keep_columns(z_, objective_.rows(), stride_, keep, new_stride);
    for (auto* block : {&dz_, &cells_}) block->resize(objective_.rows() * new_stride);
    const auto narrow_block = [&](auto& block) {
      keep_columns(block, dimension_, stride_, keep, new_stride);
    };
    const auto narrow_row = [&](auto& row, auto padding) {
      for (std::size_t c = 0; c < keep.size(); ++c) row[c] = row[keep[c]];
      std::fill(row.begin() + static_cast<std::ptrdiff_t>(keep.size()), row.end(), padding);
      row.resize(new_stride);
    };
    for (auto* block : {&w_, &gradient_, &direction_, &inverse_diagonal_}) narrow_block(*block);
    if (objective_.whitened()) narrow_block(weight_direction_);
    for (Pair& pair : pairs_) {
      narrow_block(pair.s);
      narrow_block(pair.y);
      for (auto* row : {&pair.rho, &pair.s_g, &pair.y_hg}) narrow_row(*row, 0.0);
      for (auto* products : {&pair.s_y, &pair.y_hy}) {
        for (auto& row : *products) narrow_row(row, 0.0);
      }
    }
    for (auto* row : {&loss_, &value_, &slope_, &trial_, &dot_, &ww_, &wp_, &pp_}) narrow_row(*row, 0.0);
    narrow_row(ridge_, 1.0F);
    narrow_row(step_, 0.0F);
    narrow_row(done_, Slot::active);
    column_of_ = std::move(kept_columns);
    stride_ = new_stride;
  }

  // Armijo backtracking on the scores: no further product with X. A step of 0 leaves a column in place.
  void search_line(bool first) {
    objective_.scores(weight_direction(), dz_.data());
    std::fill(step_.begin(), step_.end(), 0.0F);
    if (first) {
      objective_.curvature(z_.data(), cells_.data());
      line_curvature(cells_.data(), dz_.data(), objective_.rows(), stride_, dot_.data());
    }
    for (std::size_t c = 0; c < slots(); ++c) {
      if (done_[c] == Slot::stored) continue;
      step_[c] = 1.0F;
      const double bend = first ? dot_[c] + ridge_[c] * pp_[c] : 0.0;
      if (bend > 0) step_[c] = static_cast<float>(std::min(-slope_[c] / bend, 1e3));
    }
    constexpr double sufficient = 1e-4;
    constexpr int max_backtracks = 30;
    for (int backtrack = 0;; ++backtrack) {
      objective_.evaluate(z_.data(), dz_.data(), step_.data(), cells_.data(), loss_.data());
      bool all_accepted = true;
      for (std::size_t c = 0; c < slots(); ++c) {
        if (step_[c] == 0.0F) continue;
        const double t = step_[c];
        trial_[c] = loss_[c] + 0.5 * ridge_[c] * (ww_[c] + t * (2.0 * wp_[c] + t * pp_[c]));
        if (trial_[c] <= value_[c] + sufficient * t * slope_[c]) continue;
        all_accepted = false;
        if (backtrack >= max_backtracks) {  // down to rounding: nothing left to gain
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

  // Moves to the accepted points and stores the pairs s = step·p, y = g⁺ − g over the oldest one.
  void take_step() {
    if (pairs_.size() < options_.pairs) {
      pairs_.emplace_back();
    } else {
      std::rotate(pairs_.begin(), pairs_.begin() + 1, pairs_.end());
      for (Pair& pair : pairs_) {  // products with the pair being dropped
        if (!pair.s_y.empty()) pair.s_y.erase(pair.s_y.begin());
        if (!pair.y_hy.empty()) pair.y_hy.erase(pair.y_hy.begin());
      }
    }
    Pair& pair = pairs_.back();
    for (auto* block : {&pair.s, &pair.y}) block->resize(dimension_ * stride_);
    for (auto* row : {&pair.rho, &pair.s_g, &pair.y_hg}) row->resize(stride_);
    advance_scores(step_.data(), dz_.data(), objective_.rows(), stride_, z_.data());
    move_columns(step_.data(), direction_.data(), weight_direction(), dimension_, stride_, w_.data(),
                 pair.s.data());
    std::swap(direction_, gradient_);  // the step is done: g takes the direction's place until g⁺ is known
    objective_.gradient(cells_.data(), gradient_.data());  // at the accepted step: the line's last evaluation
    finish_gradient();
    gradient_change(gradient_.data(), direction_.data(), pair.s.data(), dimension_, stride_, pair.y.data(),
                    dot_.data());
    for (std::size_t c = 0; c < stride_; ++c) {
      const double t = step_[c];
      if (t != 0.0) value_[c] = trial_[c];
      // The ridge alone gives sᵀy ≥ ridge·‖s‖², s by the weights, for a convex loss; a pair far below is
      // rounding.
      pair.rho[c] = dot_[c] > 0.1 * ridge_[c] * t * t * pp_[c] && dot_[c] > 0.0 ? 1.0 / dot_[c] : 0.0;
    }
  }

  // One remembered step of all columns and its products, per column: with the gradient, and with the pairs up
  // to this one (s_y[i] = s_iᵀy, y_hy[i] = y_iᵀH₀y).
  struct Pair {
    LineVector<Half> s, y;
    std::vector<double> rho;  // 1/(sᵀy), 0 where the pair is unusable
    std::vector<double> s_g, y_hg;
    std::vector<std::vector<double>> s_y, y_hy;
  };
  enum class Slot : char { active, stalled, stored };

  Objective& objective_;
  SolverOptions options_;
  LineVector<float>& result_;
  std::size_t result_stride_;
  std::size_t dimension_, stride_;
  LineVector<float> z_, dz_;  // scores of the point and of the direction
  LineVector<float> cells_;   // slopes of the latest evaluation, or curvatures: both are used at once
  LineVector<float> w_, gradient_, direction_, inverse_diagonal_;
  LineVector<float> weight_direction_;  // the direction of the weights, if that is not `direction_`
  std::vector<Pair> pairs_;             // oldest first
  std::size_t stale_ = 0;               // latest pairs whose products have another H₀
  std::vector<float> inner_, outer_;    // coefficients of the y and the s in the direction
  std::span<ColumnStatus> status_;
  std::vector<int> start_iterations_;  // spent by an earlier solver
  std::vector<std::size_t> column_of_;
  std::vector<float> ridge_, step_;
  std::vector<double> loss_, value_, slope_, trial_, dot_;
  std::vector<double> ww_, wp_, pp_;  // w·w, w·p, p·p without the bias
  std::vector<Slot> done_;
};

// `weights` (dimension × stride) holds the start and receives the result; `ridge` has one positive entry per
// column, padding included; columns whose status is `converged` stay as they are.
template <ColumnBlockObjective Objective>
void minimise_columns(Objective& objective, std::span<const float> ridge, LineVector<float>& weights,
                      const SolverOptions& options, std::span<ColumnStatus> status) {
  BatchedLbfgs<Objective>(objective, ridge, weights, options, status).run();
}

}  // namespace mmo
