#include <cassert>
#include <cmath>

#include "mmo/loss/softplus.h"
#include "mmo/loss/surrogate.h"

namespace mmo {
namespace {

struct Term {
  double value = 0, slope = 0, curvature = 0;
};

// Φ_τ(1 + e^{−x}) as a function of the margin x; with s = σ(x) = 1/u:
//   value  (1 − s^τ)/τ, at τ = 0 softplus(−x)
//   slope  −s^τ·(1 − s)
//   second derivative  s^τ·(1 − s)·(s − τ·(1 − s))
Term phi(double margin, double tau) {
  const double log_u = softplus(-margin);
  const double s = sigmoid(margin);
  const double rest = sigmoid(-margin);
  const double power = std::exp(-tau * log_u);
  return {.value = tau == 0 ? log_u : -std::expm1(-tau * log_u) / tau,
          .slope = -power * rest,
          .curvature = power * rest * (s - tau * rest)};
}

}  // namespace

double surrogate_independent(std::span<const double> scores, std::span<const CellCost> cells, double tau,
                             std::span<double> gradient, std::span<double> curvature) {
  assert(scores.size() == cells.size() && tau >= 0);
  double value = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const Term plus = phi(2 * scores[j], tau);
    const Term minus = phi(-2 * scores[j], tau);
    value += cells[j].plus * plus.value + cells[j].minus * minus.value;
    if (!gradient.empty()) gradient[j] = 2 * (cells[j].plus * plus.slope - cells[j].minus * minus.slope);
    if (!curvature.empty()) {
      curvature[j] = 4 * (cells[j].plus * plus.curvature + cells[j].minus * minus.curvature);
    }
  }
  return value;
}

}  // namespace mmo
