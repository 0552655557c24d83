// Losses written plainly, for tests to compare others with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "mmo/loss/cell_cost.h"
#include "mmo/loss/softplus.h"

namespace mmo {

// Binary cross-entropy of logits z: Σ_j softplus(z_j) − y_j·z_j. It is surrogate_independent with τ = 0 and
// all costs 1 at h = z/2. Gradient σ(z) − y, Hessian σ(z)·σ(−z).
inline double bce(std::span<const double> logits, std::span<const std::uint8_t> present,
                  std::span<double> gradient = {}, std::span<double> curvature = {}) {
  double value = 0;
  for (std::size_t j = 0; j < logits.size(); ++j) {
    const double z = logits[j];
    value += softplus(present[j] != 0 ? -z : z);
    if (!gradient.empty()) gradient[j] = present[j] != 0 ? -sigmoid(-z) : sigmoid(z);
    if (!curvature.empty()) curvature[j] = sigmoid(z) * sigmoid(-z);
  }
  return value;
}

// Squared hinge under the same costs as the surrogates: Σ_j Σ_{y′} c_j(y′)·max(0, 1 − y′h_j)². Curvature is
// its generalised second derivative (0 beyond the hinge).
inline double squared_hinge(std::span<const double> scores, std::span<const CellCost> cells,
                            std::span<double> gradient = {}, std::span<double> curvature = {}) {
  double value = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const double plus = std::max(0.0, 1 - scores[j]);
    const double minus = std::max(0.0, 1 + scores[j]);
    value += cells[j].plus * plus * plus + cells[j].minus * minus * minus;
    if (!gradient.empty()) gradient[j] = 2 * (cells[j].minus * minus - cells[j].plus * plus);
    if (!curvature.empty())
      curvature[j] = 2 * ((plus > 0 ? cells[j].plus : 0.0) + (minus > 0 ? cells[j].minus : 0.0));
  }
  return value;
}

}  // namespace mmo
