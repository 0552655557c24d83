#include "mmo/cost/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/oracles.h"

namespace mmo {
namespace {

constexpr double kRelative = 1e-12;

void expect_close(double value, double expected) {
  EXPECT_NEAR(value, expected, kRelative * std::fabs(expected));
}

// Σ_{y,y′} L̄(y′, y) written out, L̄ = Σ_j (|a_j| or |b_j| when label j is wrong, 0 otherwise).
double cost_sum_by_enumeration(const std::vector<LabelCost>& costs) {
  const std::size_t l = costs.size();
  double sum = 0;
  for (std::size_t y = 0; y < (1U << l); ++y) {
    for (std::size_t predicted = 0; predicted < (1U << l); ++predicted) {
      for (std::size_t j = 0; j < l; ++j) {
        const bool truth = ((y >> j) & 1U) != 0;
        if (truth == (((predicted >> j) & 1U) != 0)) continue;
        sum += std::fabs(truth ? costs[j].false_negative : costs[j].false_positive);
      }
    }
  }
  return sum;
}

TEST(Bounds, CostSumMatchesEnumeration) {
  const std::vector<LabelCost> costs = {{1.3, 0.7}, {1, -0.5}, {2, 0}, {0.1, 0.9}};
  for (std::size_t l = 1; l <= costs.size(); ++l) {
    const std::vector<LabelCost> first(costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(l));
    expect_close(std::exp(log_cost_sum(first)), cost_sum_by_enumeration(first));
  }
}

TEST(Bounds, CostSumStaysFiniteForManyLabels) {
  const std::vector<LabelCost> costs(100000, LabelCost{1.3, 0.7});
  EXPECT_TRUE(std::isfinite(log_cost_sum(costs)));
}

// Γ(t) = 2√(L_sum·n^τ·t) for τ < 1, τ·n^τ·t for τ ≥ 1
TEST(Bounds, GammaMatchesItsFormula) {
  const double n = 8;
  const double sum = 37;
  const double t = 0.02;
  for (const double tau : {0.0, 0.5, 0.9}) {
    expect_close(std::exp(log_gamma(std::log(t), tau, 3, std::log(sum))),
                 2 * std::sqrt(sum * std::pow(n, tau) * t));
  }
  for (const double tau : {1.0, 2.0}) {
    expect_close(std::exp(log_gamma(std::log(t), tau, 3, std::log(sum))), tau * std::pow(n, tau) * t);
  }
}

TEST(Bounds, JointIsLooserThanIndependent) {
  const std::vector<LabelCost> costs = {{1.3, 0.7}, {1, 0.5}};
  expect_close(regret_bound_independent(costs, 0.1), std::sqrt(2 * 2.3 * 0.1));
  expect_close(regret_bound_joint(costs, 0.1), std::sqrt(2 * 2 * 2.3 * 0.1));
}

// ε_m once more in plain numbers, for few enough labels that 2^l is harmless.
TEST(Bounds, EpsilonJointMatchesThePlainFormula) {
  const std::vector<LabelCost> costs = {{1.3, 0.7}, {1.1, 0.4}};
  const BoundSetting s{.labels = 2,
                       .examples = 500,
                       .weight_norm = 1.5,
                       .input_norm = 2,
                       .largest_beta = 1,
                       .highest_beta_sum = 3,
                       .lambda_low = 0,
                       .lambda_high = 1,
                       .delta = 0.1,
                       .minimisability_gap = 0.01};
  const double m = 500;
  const double sum = 4 * (1.3 + 0.7 + 1.1 + 0.4);
  for (const double tau : {0.0, 0.5, 1.0, 2.0}) {
    const double log_u = 2 * std::log(1 + std::exp(6.0));
    const double phi = tau == 0 ? log_u : (1 - std::exp(-tau * log_u)) / tau;
    expect_close(phi_bound(s, tau), phi);
    const double largest = 4 * sum * phi;
    expect_close(std::exp(log_loss_bound(s, tau, std::log(sum))), largest);
    const double rademacher = std::sqrt(2.0) * (2 * std::sqrt(2.0) * 4 * sum) * 2 * 3 / std::sqrt(m);
    expect_close(std::exp(log_rademacher(s, std::log(sum))), rademacher);
    const double k = 4 * 16 * (2 * 2 * 1 * phi);
    const double width = std::sqrt(std::log(2 * m / 0.1) / (2 * m));
    const double argument = 0.01 + 4 * rademacher + 2 * k / m + (2 * largest + k / m) * width;
    const double gamma =
        tau < 1 ? 2 * std::sqrt(sum * std::pow(4, tau) * argument) : tau * std::pow(4, tau) * argument;
    expect_close(std::exp(log_epsilon_joint(s, tau, costs)), gamma + 3 / m);
  }
}

TEST(Bounds, EpsilonIndependentShrinksWithExamplesAndDoesNotExplodeWithLabels) {
  BoundSetting s{.labels = 1000, .examples = 1000};
  const std::vector<LabelCost> costs(1000, LabelCost{1.3, 0.7});
  const double few = epsilon_independent(s, costs);
  s.examples = 100000;
  const double many = epsilon_independent(s, costs);
  EXPECT_LT(many, few);
  EXPECT_LT(few / 1000, 10);  // per label a number, not 2^1000
  EXPECT_GT(log_epsilon_joint(s, 0, costs), 600);
}

TEST(Bounds, GuaranteedGaps) {
  EXPECT_DOUBLE_EQ(bisection_step(0.1, 2), 0.025);
  EXPECT_DOUBLE_EQ(bisection_gap(0.1, 2), 0.2);
  EXPECT_DOUBLE_EQ(scan_gap(0.1, 2), 0.1);
  EXPECT_EQ(net_size({.labels = 1, .examples = 50, .lambda_low = 0, .lambda_high = 1}), 50);
}

}  // namespace
}  // namespace mmo
