#include "mmo/cost/bounds.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mmo {
namespace {

constexpr double log2 = std::numbers::ln2;

// log(eᵃ + eᵇ)
double log_add(double a, double b) {
  const double high = std::max(a, b);
  return std::isinf(high) ? high : high + std::log1p(std::exp(std::min(a, b) - high));
}

// log(1 + e^{2H}), the largest logistic loss of one label.
double largest_softplus(const BoundSetting& s) {
  const double x = 2 * s.weight_norm * s.input_norm;
  return x + std::log1p(std::exp(-x));
}

// √(log(2N_λ/δ)/(2m))
double confidence_width(const BoundSetting& s) {
  return std::sqrt(std::log(2 * net_size(s) / s.delta) / (2 * static_cast<double>(s.examples)));
}

double total_scale(std::span<const LabelCost> costs) {
  double sum = 0;
  for (const LabelCost& c : costs) sum += std::max(std::fabs(c.false_negative), std::fabs(c.false_positive));
  return sum;
}

}  // namespace

double log_cost_sum(std::span<const LabelCost> costs) {
  double sum = 0;
  for (const LabelCost& c : costs) sum += std::fabs(c.false_negative) + std::fabs(c.false_positive);
  return static_cast<double>(costs.size() - 1) * 2 * log2 + std::log(sum);
}

double log_gamma(double log_regret, double tau, std::size_t labels, double log_cost_sum) {
  const double log_n_tau = tau * static_cast<double>(labels) * log2;
  if (tau < 1) return log2 + (log_cost_sum + log_n_tau + log_regret) / 2;
  return std::log(tau) + log_n_tau + log_regret;
}

double regret_bound_independent(std::span<const LabelCost> costs, double regret) {
  return std::sqrt(2 * total_scale(costs) * regret);
}

double net_size(const BoundSetting& s) {
  return std::max(1.0, static_cast<double>(s.examples) * (s.lambda_high - s.lambda_low));
}

double phi_bound(const BoundSetting& s, double tau) {
  const double log_u = static_cast<double>(s.labels) * largest_softplus(s);
  return tau == 0 ? log_u : -std::expm1(-tau * log_u) / tau;
}

double log_loss_bound(const BoundSetting& s, double tau, double log_cost_sum) {
  return static_cast<double>(s.labels) * log2 + log_cost_sum + std::log(phi_bound(s, tau));
}

double log_rademacher(const BoundSetting& s, double log_cost_sum) {
  const auto l = static_cast<double>(s.labels);
  const auto m = static_cast<double>(s.examples);
  const double log_lipschitz = std::log(2 * std::sqrt(l)) + l * log2 + log_cost_sum;
  return std::log(std::numbers::sqrt2 * l * s.weight_norm * s.input_norm / std::sqrt(m)) + log_lipschitz;
}

double log_slope_by_lambda(const BoundSetting& s, double tau) {
  const auto l = static_cast<double>(s.labels);
  return 3 * l * log2 + std::log(2 * l * s.largest_beta * phi_bound(s, tau));
}

double log_epsilon_joint(const BoundSetting& s, double tau, std::span<const LabelCost> costs) {
  const double log_m = std::log(static_cast<double>(s.examples));
  const double log_sum = log_cost_sum(costs);
  const double log_k = log_slope_by_lambda(s, tau);
  const double log_width = std::log(confidence_width(s));
  double argument = std::log(s.minimisability_gap);
  argument = log_add(argument, 2 * log2 + log_rademacher(s, log_sum));
  argument = log_add(argument, log2 + log_k - log_m);
  argument = log_add(argument, log2 + log_loss_bound(s, tau, log_sum) + log_width);
  argument = log_add(argument, log_k - log_m + log_width);
  return log_add(log_gamma(argument, tau, s.labels, log_sum), std::log(s.highest_beta_sum) - log_m);
}

double epsilon_independent(const BoundSetting& s, std::span<const LabelCost> costs) {
  const auto m = static_cast<double>(s.examples);
  const double scale = total_scale(costs);
  const double rademacher = 2 * scale * s.weight_norm * s.input_norm / std::sqrt(m);
  const double loss = scale * largest_softplus(s);
  const double k = 4 * static_cast<double>(s.labels) * s.largest_beta * largest_softplus(s);
  const double argument =
      s.minimisability_gap + 4 * rademacher + 2 * k / m + (2 * loss + k / m) * confidence_width(s);
  return regret_bound_independent(costs, argument) + s.highest_beta_sum / m;
}

double bisection_step(double epsilon_m, double highest_beta_sum) {
  return epsilon_m / (2 * highest_beta_sum);
}
double bisection_gap(double epsilon_m, double lowest_beta_sum) { return 4 * epsilon_m / lowest_beta_sum; }
double scan_gap(double epsilon_m, double lowest_beta_sum) { return 2 * epsilon_m / lowest_beta_sum; }

}  // namespace mmo
