// One step of dual descent on a row, for a vector of columns: the losses' part of objective/dual_group.h.
// Given a row's margins m = t·(w·x + b), its costs C and its length q = ‖x‖², bias feature included, each
// rule moves the dual variable α to roughly where the objective is best with all other rows fixed; m moves by
// q per unit of α.
#pragma once

#include <bit>

#include "mmo/core/simd.h"
#include "mmo/loss/softplus.h"

namespace mmo {

template <class Vec>
struct DualStep {
  Vec dual;    // what is kept for the row, after the step
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

}  // namespace mmo
