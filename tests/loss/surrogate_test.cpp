#include "mmo/loss/surrogate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mmo/core/error.h"
#include "support/brute_force.h"
#include "support/finite_difference.h"
#include "support/paper_surrogate.h"

namespace mmo {
namespace {

const std::vector<double> kTaus = {0, 0.3, 0.5, 1, 1.5, 2};

// The enumeration sums 2^l terms of both signs of rounding: 4096·1e-16 with room.
constexpr double kRelative = 1e-11;
// finite_difference.h promises about 1e-12 of the value's scale.
constexpr double kGradient = 1e-8;
// Costs may be negative: the flipped prediction is then the cheap one.
constexpr double kSmallestCost = -0.5;

void expect_close(double value, double expected, double relative) {
  EXPECT_NEAR(value, expected, relative * std::max(1.0, std::fabs(expected)));
}

TEST(Surrogate, PaperExactEqualsTheSumOverAllLabelSets) {
  Random random(1);
  for (std::size_t l = 1; l <= 6; ++l) {
    for (const double tau : kTaus) {
      const auto costs = random_costs(random, l, kSmallestCost);
      const auto h = random_scores(random, l, 1);
      const LabelSet y = random_label_set(random, l);
      const double expected = surrogate_by_enumeration(h, y, costs, tau, target_cost_sum(costs));
      expect_close(surrogate_paper_exact(h, as_present(y), costs, tau), expected, kRelative);
    }
  }
}

TEST(Surrogate, JointEqualsTheNormalisedSumUpToTwelveLabels) {
  Random random(2);
  for (const std::size_t l : {1U, 2U, 3U, 5U, 8U, 12U}) {
    for (const double tau : kTaus) {
      if (l == 12 && tau != 0 && tau != 0.5) continue;  // the enumeration is 4^12 steps
      const auto costs = random_costs(random, l, kSmallestCost);
      const auto h = random_scores(random, l, 1);
      const LabelSet y = random_label_set(random, l);
      const auto cells = tight_cells(as_present(y), costs);
      const double expected = surrogate_by_enumeration(h, y, costs, tau, dearest_cost(y, costs)) /
                              std::ldexp(1.0, static_cast<int>(l) - 1);
      const double value = tau == 0 ? surrogate_joint(h, cells) : surrogate_joint_tau(h, cells, tau);
      expect_close(value, expected, kRelative);
    }
  }
}

TEST(Surrogate, IndependentIsThePapersLossOfEachLabelAlone) {
  Random random(3);
  for (const double tau : kTaus) {
    const std::size_t l = 7;
    const auto costs = random_costs(random, l, kSmallestCost);
    const auto h = random_scores(random, l, 1);
    const LabelSet y = random_label_set(random, l);
    double expected = 0;
    for (std::size_t j = 0; j < l; ++j) {
      expected += surrogate_by_enumeration({h[j]}, {y[j]}, {costs[j]}, tau, dearest_cost({y[j]}, {costs[j]}));
    }
    expect_close(surrogate_independent(h, tight_cells(as_present(y), costs), tau), expected, kRelative);
  }
}

TEST(Surrogate, KappaZeroIsIndependentAndLinearInKappa) {
  Random random(4);
  const std::size_t l = 6;
  const auto h = random_scores(random, l, 2);
  const auto cells =
      tight_cells(as_present(random_label_set(random, l)), random_costs(random, l, kSmallestCost));
  expect_close(surrogate_joint(h, cells, 0), surrogate_independent(h, cells, 0), 1e-14);
  expect_close(surrogate_joint(h, cells, 0.3),
               0.7 * surrogate_joint(h, cells, 0) + 0.3 * surrogate_joint(h, cells, 1), 1e-14);
}

TEST(Surrogate, SmallTauTendsToTauZero) {
  Random random(5);
  const auto h = random_scores(random, 4, 1);
  const auto cells = tight_cells(as_present(random_label_set(random, 4)), random_costs(random, 4, 0));
  EXPECT_NEAR(surrogate_independent(h, cells, 1e-9), surrogate_independent(h, cells, 0), 1e-7);
}

TEST(Surrogate, GradientsAndCurvaturesMatchFiniteDifferences) {
  Random random(6);
  for (int trial = 0; trial < 10; ++trial) {
    const std::size_t l = 1 + random.below(8);
    const auto h = random_scores(random, l, 2);
    const auto cells =
        tight_cells(as_present(random_label_set(random, l)), random_costs(random, l, kSmallestCost));
    std::vector<double> gradient(l);
    std::vector<double> curvature(l);
    const auto check = [&](const ScalarField& value,
                           const std::function<void(const std::vector<double>&)>& fill, bool second) {
      fill(h);
      const std::vector<double> analytic(curvature.begin(), curvature.end());  // filling again overwrites it
      const auto expected = gradient_of(value, h);
      for (std::size_t j = 0; j < l; ++j) expect_close(gradient[j], expected[j], kGradient);
      if (!second) return;
      for (std::size_t j = 0; j < l; ++j) {
        const double numeric = derivative(
            [&](const std::vector<double>& x) {
              fill(x);
              return gradient[j];
            },
            h, j);
        expect_close(analytic[j], numeric, kGradient);
      }
    };
    for (const double tau : kTaus) {
      check([&](const auto& x) { return surrogate_independent(x, cells, tau); },
            [&](const auto& x) { surrogate_independent(x, cells, tau, gradient, curvature); }, true);
      if (tau == 0) continue;
      check([&](const auto& x) { return surrogate_joint_tau(x, cells, tau); },
            [&](const auto& x) { surrogate_joint_tau(x, cells, tau, gradient); }, false);
    }
    for (const double kappa : {0.0, 0.4, 1.0}) {
      check([&](const auto& x) { return surrogate_joint(x, cells, kappa); },
            [&](const auto& x) { surrogate_joint(x, cells, kappa, gradient, curvature); }, true);
    }
  }
}

// The same formulas in long double, for scores and label counts where nothing may overflow or cancel.
struct LongDoubleReference {
  long double value = 0;
  std::vector<long double> gradient;
};

long double softplus_reference(long double x) {
  return std::fmax(x, 0.0L) + std::log1p(std::exp(-std::fabs(x)));
}
long double sigmoid_reference(long double x) {
  const long double e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1.0L) / (1.0L + e);
}

LongDoubleReference joint_reference(const std::vector<double>& h, const std::vector<CellCost>& cells,
                                    double kappa) {
  LongDoubleReference reference;
  long double total = 0;
  for (const CellCost& c : cells) total += static_cast<long double>(c.plus) + c.minus;
  for (std::size_t j = 0; j < h.size(); ++j) {
    const long double x = 2.0L * h[j];
    const long double cross = kappa / 2.0L * (total - cells[j].plus - cells[j].minus);
    const long double plus = cells[j].plus + cross;
    const long double minus = cells[j].minus + cross;
    reference.value += plus * softplus_reference(-x) + minus * softplus_reference(x);
    reference.gradient.push_back(2 * (minus * sigmoid_reference(x) - plus * sigmoid_reference(-x)));
  }
  return reference;
}

TEST(Surrogate, ExtremeScoresAndManyLabelsMatchLongDouble) {
  Random random(7);
  const std::size_t l = 100000;
  std::vector<double> h(l);
  for (std::size_t j = 0; j < l; ++j)
    h[j] = j % 3 == 0 ? 1e4 * (random.uniform() < 0.5 ? -1 : 1) : 10 * random.normal();
  const auto cells =
      tight_cells(as_present(random_label_set(random, l)), random_costs(random, l, kSmallestCost));
  std::vector<double> gradient(l);
  for (const double kappa : {0.0, 1.0}) {
    const auto reference = joint_reference(h, cells, kappa);
    const double value = surrogate_joint(h, cells, kappa, gradient);
    EXPECT_NEAR(static_cast<double>(value / reference.value), 1, 1e-12);
    for (std::size_t j = 0; j < l; ++j) {
      const auto expected = static_cast<double>(reference.gradient[j]);
      ASSERT_NEAR(gradient[j], expected, 1e-11 * std::max(1.0, std::fabs(expected))) << j;
    }
  }
  // τ > 0: finite, between 0 and its bound Σ c/τ, and the joint value defined for any number of labels.
  double largest = 0;
  for (const CellCost& c : cells) largest += c.sum();
  for (const double tau : {0.3, 1.0, 2.0}) {
    const double value = surrogate_independent(h, cells, tau, gradient);
    EXPECT_GT(value, 0);
    EXPECT_LE(value, largest / tau);
    for (const double g : gradient) ASSERT_TRUE(std::isfinite(g));
    const double joint = surrogate_joint_tau(h, cells, tau);
    EXPECT_TRUE(std::isfinite(joint));
    EXPECT_LE(joint, largest / tau * (1 + 1e-12));
  }
}

TEST(Surrogate, JointGradientWithTauIsRefusedBeyondSixtyFourLabels) {
  const std::vector<double> h(65, 0.1);
  const std::vector<CellCost> cells(65, CellCost{.plus = 1, .minus = 0});
  std::vector<double> gradient(65);
  EXPECT_NO_THROW(surrogate_joint_tau(h, cells, 1));
  EXPECT_THROW(surrogate_joint_tau(h, cells, 1, gradient), UsageError);
}

}  // namespace
}  // namespace mmo
