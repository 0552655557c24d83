// What the paper defines and the library does not need, for tests of what it does.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "mmo/cost/bounds.h"
#include "mmo/cost/cost.h"

namespace mmo {

// The posterior above which predicting the label is cheaper: b / (a + b), in [0, 1]. With both costs
// negative (a metric that rewards mistakes) it is the posterior *below* which predicting is cheaper.
inline double posterior_threshold(const LabelCost& cost) {
  const double a = cost.false_negative;
  const double b = cost.false_positive;
  if (a == 0 && b == 0) return 0.5;  // indifferent
  if (a >= 0 && b <= 0) return 0.0;  // predicting is never dearer
  if (a <= 0 && b >= 0) return 1.0;  // predicting is never cheaper
  return std::clamp(b / (a + b), 0.0, 1.0);
}

// Our bound for the normalised joint loss at τ = 0: every label has total weight A ≤ S = Σ_k max(|a_k|,
// |b_k|), so target regret ≤ √(2·l·S·t), √l times the independent one.
inline double regret_bound_joint(std::span<const LabelCost> costs, double regret) {
  return std::sqrt(static_cast<double>(costs.size())) * regret_bound_independent(costs, regret);
}

}  // namespace mmo
