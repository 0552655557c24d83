// A step of dual descent on one row, for a vector of columns: the losses' part of `dual_group.h`. Given a
// row's margins m = t·(w·x + b), its costs C and its length q = ‖x‖² with the bias's feature, each rule moves
// the dual variable α to about where the objective is best while the other rows' stay; m moves by q per unit
// of α.
#pragma once

#include <bit>

#include "mmo/core/simd.h"
#include "mmo/loss/softplus.h"

namespace mmo {

template <class Vec>
struct DualStep {
  Vec dual;    // what is kept of the row, after the step
  Vec change;  // of α
  // Before the step: C·ℓ(m), and C·ℓ(m) + C·ℓ*(−α/C) + α·m ≥ 0, the row's part of the duality gap.
  Vec loss, gap;
};

namespace dual {

template <class Vec>
MMO_INLINE Vec larger(const Vec& a, const Vec& b) {
  return a > b ? a : b;
}
template <class Vec>
MMO_INLINE Vec smaller(const Vec& a, const Vec& b) {
  return a < b ? a : b;
}
template <class Vec>
MMO_INLINE Vec magnitude(const Vec& a) {
  return larger<Vec>(a, -a);
}

// log v for v > 0, up to 0.06 too small: the exponent from the bits, the fraction as it is.
template <class Vec>
MMO_INLINE Vec rough_log(const Vec& v) {
  const auto bits = std::bit_cast<typename IntegersOf<Vec>::SignedWords>(v);
  return __builtin_convertvector(bits, Vec) * 8.26295824e-8F - 88.0296919F;
}

// 1/(1 + eʸ) for |y| ≤ 80.
template <class Vec>
MMO_INLINE Vec sigmoid_of_minus(const Vec& y) {
  return 1.0F / (1.0F + simd::exp_in_range(y));
}

}  // namespace dual

// ℓ(m) = max(0, 1 − m)²; α itself is kept. With D = 1/(2C), D·α = max(0, 1 − m) at the minimum, so a step
// takes α to max(0, α − (m − 1 + D·α)/(q + D)), and a quarter further (successive over-relaxation,
// Mangasarian & Musicant 1999): a tenth fewer passes.
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

// ℓ(m) = log(1 + e^−m); the margin y with α = C·σ(−y) is kept, which m is at the minimum. A step solves
// y = m₀ + q·C·σ(−y), m₀ = m − q·α the margin without this row.
struct LogisticStep {
  static constexpr float start = 40;  // no weight on any row, but for rounding

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
  // y = alone + a·σ(−y) by Newton's method. It starts below the solution, where it rises steadily: y ≥ alone;
  // y ≥ 0, or else it falls steadily from there; and where log a ≥ alone + 1, so that y ≤ log a,
  // y ≥ log(½a) − log(log a − alone) because y − alone = a·σ(−y) ≥ ½a·e^−y. Or from the last y if it is near
  // the solution, on the way there, which the sign of y − m tells, or negative like it. Any y is valid: two
  // steps do.
  template <class Vec>
  MMO_INLINE static Vec solve(const Vec& alone, const Vec& a, const Vec& y, const Vec& m, const Vec& limit) {
    const Vec zero = {};
    const Vec log_a = dual::rough_log<Vec>(a);
    const Vec below = log_a - 0.75F - dual::rough_log<Vec>(dual::larger<Vec>(log_a - alone, zero + 1.0F));
    const Vec start = dual::larger<Vec>(dual::larger<Vec>(alone, below), zero);
    const Vec off = y - m;
    const auto goes_on =
        (dual::magnitude<Vec>(off) < 0.5F) | ((start - y) * off > zero) | (dual::larger<Vec>(y, m) < zero);
    Vec at = dual::smaller<Vec>(goes_on ? y : start, limit);
    for (int newton = 0; newton < 2; ++newton) {
      const Vec share = dual::sigmoid_of_minus<Vec>(at);
      at -= (at - alone - a * share) / (1.0F + a * share * (1.0F - share));
      at = dual::larger<Vec>(dual::smaller<Vec>(at, limit), -limit);
    }
    return at;
  }
};

}  // namespace mmo
