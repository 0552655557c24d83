// What solvers are asked to do, and what they report for every column.
#pragma once

#include <cstddef>
#include <functional>

namespace mmo {

struct SolverOptions {
  double tolerance = 1e-5;  // stop when about tolerance·f is left to gain
  int dual_passes = 16;     // of dual descent, where it applies, before L-BFGS takes over; 0: L-BFGS alone
  bool keep_duals = false;  // of dual descent with the squared hinge, in the solved blocks
  int max_iterations = 300;
  std::size_t pairs = 8;            // pairs L-BFGS keeps
  std::function<bool()> stop = {};  // polled between iterations: true ends all columns as they are
};

enum class SolverState { converged, iteration_limit, stalled };

struct ColumnStatus {
  SolverState state = SolverState::iteration_limit;
  int iterations = 0;    // including passes of dual descent
  double value = 0;      // f at the end; of dual descent, as the rows saw it during the last pass
  double decrement = 0;  // what is left to gain: −gᵀp/2, or a share of the duality gap
};

}  // namespace mmo
