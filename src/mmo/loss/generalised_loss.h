// w·(1 − σ(t·z)^τ)/τ: the paper's surrogate, τ > 0, each label by itself. It is not convex, so it borrows the
// curvature of the logistic loss of the same weights.
#pragma once

#include "mmo/core/fast_exp.h"
#include "mmo/core/simd.h"
#include "mmo/loss/column_cell.h"
#include "mmo/loss/logistic_loss.h"
#include "mmo/loss/softplus.h"

namespace mmo {

struct Generalised {
  float tau;
  MMO_INLINE void operator()(const ColumnCell& cell, float z, float& value, float& slope) const {
    float softplus_value = 0;
    float sigmoid_value = 0;
    softplus_sigmoid(-cell.sign * z, softplus_value, sigmoid_value);
    const float weight = cell.weight();
    const float power = fast_exp(-tau * softplus_value);  // σ(t·z)^τ
    value = weight * (1.0F - power) / tau;
    slope = -cell.sign * weight * power * sigmoid_value;
  }
  MMO_INLINE float curvature(const ColumnCell& cell, float z) const { return Logistic{}.curvature(cell, z); }

  // The one at τ = 0, which has the same sign; and the curvature of the logistic stand-in.
  static double best_constant(double up, double down) { return Logistic::best_constant(up, down); }
  static double curvature_at_best(double up, double down, double flat) {
    return Logistic::curvature_at_best(up, down, flat);
  }

  static constexpr double l2_scale = 1;
  static constexpr bool needs_two_sides = true;
  static constexpr bool has_dual = false;
  static constexpr bool scales_its_dual = false;
};

}  // namespace mmo
