#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <numbers>
#include <vector>

#include "mmo/core/error.h"
#include "mmo/loss/softplus.h"
#include "mmo/loss/surrogate.h"

namespace mmo {
namespace {

double total(std::span<const CellCost> cells) {
  double sum = 0;
  for (const CellCost& cell : cells) sum += cell.sum();
  return sum;
}

}  // namespace

double surrogate_joint(std::span<const double> scores, std::span<const CellCost> cells, double kappa,
                       std::span<double> gradient, std::span<double> curvature) {
  assert(scores.size() == cells.size() && kappa >= 0 && kappa <= 1);
  const double a = total(cells);
  double value = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const double x = 2 * scores[j];
    const double above = sigmoid(x);
    const double below = sigmoid(-x);
    // The cross term adds the same to both weights. Keep it apart from the costs: it can be orders of
    // magnitude larger.
    const double cross = kappa / 2 * (a - cells[j].sum());
    const double loss_plus = softplus(-x);
    const double loss_minus = softplus(x);
    value += cells[j].plus * loss_plus + cells[j].minus * loss_minus + cross * (loss_plus + loss_minus);
    if (!gradient.empty()) {
      gradient[j] = 2 * (cells[j].minus * above - cells[j].plus * below + cross * std::tanh(x / 2));
    }
    if (!curvature.empty()) curvature[j] = 4 * (cells[j].sum() + 2 * cross) * above * below;
  }
  return value;
}

double surrogate_joint_tau(std::span<const double> scores, std::span<const CellCost> cells, double tau,
                           std::span<double> gradient) {
  assert(scores.size() == cells.size() && tau > 0);
  const std::size_t l = scores.size();
  constexpr std::size_t most_labels_for_gradient = 64;
  if (!gradient.empty() && l > most_labels_for_gradient) {
    throw UsageError(
        fmt::format("joint coupling with tau = {} can't be trained on {} labels: the gradient is below "
                    "rounding beyond {} "
                    "labels; use coupling=independent or tau=0",
                    tau, l, most_labels_for_gradient));
  }
  double log_p = -static_cast<double>(l - 1) * std::numbers::ln2;
  double ratios = 0;  // Σ_k N_k / S_k
  for (std::size_t k = 0; k < l; ++k) {
    const double w_plus = std::exp(-tau * softplus(-2 * scores[k]));
    const double w_minus = std::exp(-tau * softplus(2 * scores[k]));
    log_p += std::log(w_plus + w_minus);
    ratios += (cells[k].plus * w_plus + cells[k].minus * w_minus) / (w_plus + w_minus);
  }
  const double p = std::exp(log_p);
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    // W′(y′) = 2y′τ·W(y′)·σ(−2y′h);  dT/dh_j = P·( (S_j′/S_j)·Σ_{k≠j} N_k/S_k + N_j′/S_j )
    const double x = 2 * scores[j];
    const double w_plus = std::exp(-tau * softplus(-x));
    const double w_minus = std::exp(-tau * softplus(x));
    const double s = w_plus + w_minus;
    const double d_plus = w_plus * sigmoid(-x);
    const double d_minus = -w_minus * sigmoid(x);
    const double others = ratios - (cells[j].plus * w_plus + cells[j].minus * w_minus) / s;
    const double derivative = (d_plus + d_minus) * others + cells[j].plus * d_plus + cells[j].minus * d_minus;
    gradient[j] = -2 * p * derivative / s;  // −(1/τ)·dT/dh_j; τ cancels
  }
  return (total(cells) - p * ratios) / tau;
}

}  // namespace mmo
