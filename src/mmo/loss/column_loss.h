// Margin losses over a block of columns: for every cell (i, c) with sign t = ±1 (0 = left out), score z and
// weight w = row weight × (a_c if t = +1 else b_c), the costs of `mmo/cost`. logistic_loss.h,
// generalised_loss.h, joint_loss.h and squared_hinge.h define one loss each; here they come together. z is
// twice the paper's score h, so softplus(−t·z) = log Z(y′).
#pragma once

#include <cstddef>
#include <cstdint>

namespace mmo {

struct ColumnLoss {
  enum class Kind { logistic, generalised, joint, squared_hinge };
  Kind kind = Kind::logistic;
  float tau = 0;    // generalised
  float kappa = 1;  // joint
};

// One block of cells, row-major with `stride` (a multiple of 8) cells a row. Null row_weight = all 1.
struct ColumnCells {
  std::size_t rows = 0, stride = 0;
  const std::int8_t* sign = nullptr;
  const float* row_weight = nullptr;
  const float* positive = nullptr;  // a, per column
  const float* negative = nullptr;  // b, per column
  const float* row_cost = nullptr;  // joint: A_i = Σ over labels of the cell's own cost, per row
};

// What the solvers need to know about a loss, answered by its definition.
[[nodiscard]] float best_constant(const ColumnLoss& loss, double up, double down);
// `row_cost`: the mean A_i; only the joint loss reads it.
[[nodiscard]] double curvature_at_best(const ColumnLoss& loss, double up, double down, double flat = 1e-300,
                                       double row_cost = 0);
[[nodiscard]] double l2_scale(const ColumnLoss& loss);
[[nodiscard]] bool needs_two_sides(const ColumnLoss& loss);
[[nodiscard]] bool needs_row_costs(const ColumnLoss& loss);
[[nodiscard]] bool has_dual(const ColumnLoss& loss);
[[nodiscard]] bool scales_its_dual(const ColumnLoss& loss);

// At z + step·dz (step per column): value[c] = Σ_i loss, slope(i, c) = ∂loss/∂z. `dz` may be null (step 0).
void evaluate_loss(const ColumnLoss& loss, const ColumnCells& cells, const float* z, const float* dz,
                   const float* step, float* slope, double* value);

// out(i, c) = ∂²loss/∂z² of each cell, non-negative: the generalised loss, which is not convex, uses the
// logistic curvature of the same weights.
void loss_curvature(const ColumnLoss& loss, const ColumnCells& cells, const float* z, float* out);

}  // namespace mmo
