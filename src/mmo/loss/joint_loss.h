// w·softplus(−t·z) + ½κ(A_i − w)·(softplus(z) + softplus(−z)): the paper's surrogate with its coupling, A_i
// the summed cost of the row's cells.
#pragma once

#include <algorithm>

#include "mmo/core/simd.h"
#include "mmo/loss/column_cell.h"
#include "mmo/loss/logistic_loss.h"
#include "mmo/loss/softplus.h"

namespace mmo {

struct Joint {
  float kappa;
  // Both sides weigh w + κ·(A_i − w); a cell left out has neither a cost nor any smoothing.
  MMO_INLINE float both(const ColumnCell& cell) const {
    const float weight = cell.weight();
    return weight + cell.sign * cell.sign * kappa * std::max(cell.row_cost - weight, 0.0F);
  }
  MMO_INLINE void operator()(const ColumnCell& cell, float z, float& value, float& slope) const {
    two_sided_softplus(z, both(cell), cell.sign * cell.weight(), value, slope);
  }
  MMO_INLINE float curvature(const ColumnCell& cell, float z) const {
    float softplus_value = 0;
    float sigmoid_value = 0;
    softplus_sigmoid(z, softplus_value, sigmoid_value);
    return both(cell) * sigmoid_value * (1.0F - sigmoid_value);
  }

  static double best_constant(double up, double down) { return Logistic::best_constant(up, down); }
  // The logistic loss's, times how much more a cell's two signs weigh than its own.
  [[nodiscard]] double curvature_at_best(double up, double down, double flat, double row_cost) const {
    const double own = Logistic::curvature_at_best(up, down, flat);
    return own * (1 + kappa * (row_cost / (up + down + flat) - 1));
  }

  static constexpr double l2_scale = 1;
  static constexpr bool needs_two_sides = false;  // every cell is pulled to both sides
  static constexpr bool has_dual = false;
  static constexpr bool scales_its_dual = false;
};

}  // namespace mmo
