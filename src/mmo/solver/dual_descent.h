// Dual coordinate descent in random order, for a group of columns that share their rows: passes over all
// rows until the duality gap is small.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/solver/solver_status.h"

namespace mmo {

template <class O>
concept DualObjective = requires(O o, const O co, std::span<const std::uint32_t> order) {
  { co.rows() } -> std::same_as<std::size_t>;
  { co.columns() } -> std::same_as<std::size_t>;
  o.close(std::size_t{});  // this column stays put
  o.pass(order).value[0];  // a step on every row; value and duality gap of each column
  o.pass(order).gap[0];
};

// Solves the columns that are not yet `converged`. Those that reach the tolerance within options.dual_passes
// become so; the others stay where they have got to. A column's result does not depend on the others.
// `started`: the objective starts from another ridge's solution, not from 0.
template <DualObjective Objective>
void descend_dual(Objective& objective, const SolverOptions& options, std::span<ColumnStatus> status,
                  bool started = false) {
  // The gap, summed during the pass, is about four times the distance from the optimum after it. We ask for
  // half the tolerance: at the full one, single rows still stick out, and the rules of rare labels suffer.
  // With a start the gap is small from the first pass on, and what remains sits in a few rows: for equally
  // good scores it must be half as large.
  const double gap_share = started ? 1 : 2;
  std::vector<std::uint32_t> order(objective.rows());
  std::iota(order.begin(), order.end(), 0U);
  Random random(0);
  std::size_t open = 0;
  for (std::size_t c = 0; c < objective.columns(); ++c) {
    const bool solved = c >= status.size() || status[c].state == SolverState::converged;
    if (solved) objective.close(c);
    open += solved ? 0 : 1;
  }
  for (int pass = 1; pass <= options.dual_passes && open > 0; ++pass) {
    throw_if_cancelled();
    if (options.stop && options.stop()) return;
    random.shuffle(order);
    const auto progress = objective.pass(order);
    for (std::size_t c = 0; c < status.size(); ++c) {
      ColumnStatus& own = status[c];
      if (own.state == SolverState::converged) continue;
      own.iterations = pass;
      own.value = progress.value[c];
      own.decrement = progress.gap[c] / gap_share;
      if (!(own.decrement <= options.tolerance * own.value)) continue;
      own.state = SolverState::converged;
      objective.close(c);
      --open;
    }
  }
}

}  // namespace mmo
