// w·softplus(−t·z): the paper's surrogate, τ = 0, each label by itself.
#pragma once

#include <cmath>

#include "mmo/core/simd.h"
#include "mmo/loss/column_cell.h"
#include "mmo/loss/dual_step.h"
#include "mmo/loss/softplus.h"

namespace mmo {

// ℓ(m) = log(1 + e^−m); we keep the margin y with α = C·σ(−y), which equals m at the minimum. A step solves
// y = m₀ + q·C·σ(−y), m₀ = m − q·α being the margin without this row.
struct LogisticStep {
  static constexpr float start = 40;  // no weight on any row, except for rounding

  template <class Vec>
  MMO_INLINE DualStep<Vec> operator()(const Vec& m, const Vec& cost, const Vec& /*inverse_cost*/,
                                      const Vec& q, const Vec& y) const {
    const Vec zero = {};
    const Vec limit = zero + 80.0F;
    const Vec e = simd::exp_in_range<Vec>(-dual::smaller<Vec>(dual::magnitude<Vec>(m), limit));
    const Vec tail = e / (1.0F + e);
    const Vec slope = m > zero ? tail : 1.0F - tail;  // σ(−m)
    const Vec alpha = cost * dual::sigmoid_of_minus<Vec>(y);
    const Vec alone = m - q * alpha;
    const Vec after = solve<Vec>(alone, Vec(q * cost), y, m, limit);
    const Vec loss = cost * (dual::larger<Vec>(-m, zero) + log_one_plus(e));
    const Vec gap = 0.5F * (m - y) * (alpha - cost * slope);  // to second order; at most twice this
    return {after, cost * dual::sigmoid_of_minus<Vec>(after) - alpha, loss, gap};
  }

 private:
  // y = alone + a·σ(−y) by Newton's method. It starts below the solution, from where it rises steadily:
  // y ≥ alone; y ≥ 0, or else it falls steadily from there; and where log a ≥ alone + 1, so that y ≤ log a,
  // y ≥ log(½a) − log(log a − alone) because y − alone = a·σ(−y) ≥ ½a·e^−y. Or it starts from the last y
  // if that is close to the solution, on the way there (as the sign of y − m tells), or negative like it.
  // Any y is valid: two steps will do.
  template <class Vec>
  MMO_INLINE static Vec solve(const Vec& alone, const Vec& a, const Vec& y, const Vec& m, const Vec& limit) {
    const Vec zero = {};
    const Vec log_a = dual::rough_log<Vec>(a);
    const Vec below = log_a - 0.75F - dual::rough_log<Vec>(dual::larger<Vec>(log_a - alone, zero + 1.0F));
    const Vec begin = dual::larger<Vec>(dual::larger<Vec>(alone, below), zero);
    const Vec off = y - m;
    const auto goes_on =
        (dual::magnitude<Vec>(off) < 0.5F) | ((begin - y) * off > zero) | (dual::larger<Vec>(y, m) < zero);
    Vec at = dual::smaller<Vec>(goes_on ? y : begin, limit);
    for (int newton = 0; newton < 2; ++newton) {
      const Vec share = dual::sigmoid_of_minus<Vec>(at);
      at -= (at - alone - a * share) / (1.0F + a * share * (1.0F - share));
      at = dual::larger<Vec>(dual::smaller<Vec>(at, limit), -limit);
    }
    return at;
  }
};

struct Logistic {
  MMO_INLINE void operator()(const ColumnCell& cell, float z, float& value, float& slope) const {
    float softplus_value = 0;
    float sigmoid_value = 0;
    softplus_sigmoid(-cell.sign * z, softplus_value, sigmoid_value);
    const float weight = cell.weight();
    value = weight * softplus_value;
    slope = -cell.sign * weight * sigmoid_value;
  }
  MMO_INLINE float curvature(const ColumnCell& cell, float z) const {
    float softplus_value = 0;
    float sigmoid_value = 0;
    softplus_sigmoid(z, softplus_value, sigmoid_value);
    return cell.weight() * sigmoid_value * (1.0F - sigmoid_value);
  }

  // The score that minimises the loss of `up` and `down` (the weight of positives and negatives).
  static double best_constant(double up, double down) { return std::log(up / down); }
  // Σ of the curvature there; `flat` keeps weights of 0 from giving 0/0.
  static double curvature_at_best(double up, double down, double flat) {
    return up * down / (up + down + flat);
  }

  static constexpr double l2_scale = 1;          // the L2 that is as strong as 1 on the logistic loss
  static constexpr bool needs_two_sides = true;  // cells that all pull one way have no finite minimum
  static constexpr bool has_dual = true;
  static constexpr bool scales_its_dual = false;
  using Dual = LogisticStep;
};

}  // namespace mmo
