// w·max(0, 1 − t·z)²
#pragma once

#include <algorithm>

#include "mmo/core/simd.h"
#include "mmo/loss/column_cell.h"
#include "mmo/loss/dual_step.h"

namespace mmo {

// ℓ(m) = max(0, 1 − m)²; α itself is kept. With D = 1/(2C), D·α = max(0, 1 − m) at the minimum, so a step
// takes α to max(0, α − (m − 1 + D·α)/(q + D)), and a quarter further (successive over-relaxation,
// Mangasarian & Musicant 1999), which saves a tenth of the passes.
struct SquaredHingeStep {
  static constexpr float start = 0;
  static constexpr float relaxation = 1.25F;

  template <class Vec>
  MMO_INLINE DualStep<Vec> operator()(const Vec& m, const Vec& cost, const Vec& inverse_cost, const Vec& q,
                                      const Vec& alpha) const {
    const Vec zero = {};
    const Vec d = 0.5F * inverse_cost;
    const Vec room = 1.0F - m;
    const Vec excess = dual::larger<Vec>(room, zero);
    const Vec after = dual::larger<Vec>(alpha + relaxation * (room - d * alpha) / (q + d), zero);
    const Vec miss = excess - d * alpha;
    return {after, after - alpha, cost * excess * excess, cost * miss * miss + alpha * (excess - room)};
  }
};

struct SquaredHinge {
  MMO_INLINE void operator()(const ColumnCell& cell, float z, float& value, float& slope) const {
    const float excess = std::max(1.0F - cell.sign * z, 0.0F);
    const float weight = cell.weight();
    value = weight * excess * excess;
    slope = -2.0F * cell.sign * weight * excess;
  }
  MMO_INLINE float curvature(const ColumnCell& cell, float z) const {
    return simd::select(1.0F - cell.sign * z > 0.0F, 2.0F * cell.weight(), 0.0F);
  }

  static double best_constant(double up, double down) { return (up - down) / (up + down); }
  static double curvature_at_best(double up, double down, double /*flat*/) { return 2 * (up + down); }

  // Its curvature is 2 where the logistic loss's is at most ¼, so L2 has to be that much larger.
  static constexpr double l2_scale = 8;
  static constexpr bool needs_two_sides = true;
  static constexpr bool has_dual = true;
  static constexpr bool scales_its_dual = true;  // one ridge's duals, scaled, start the next ridge
  using Dual = SquaredHingeStep;
};

}  // namespace mmo
