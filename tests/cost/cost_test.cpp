#include "mmo/cost/cost.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mmo/core/error.h"
#include "mmo/core/random.h"
#include "support/oracles.h"

namespace mmo {
namespace {

constexpr double kExact = 1e-14;

TEST(LabelCost, NamedMetrics) {
  for (const double lambda : {0.0, 0.3, 0.7, 1.0}) {
    const LabelCost f1 = label_cost(parse_metric("f1").ratios[0], lambda);
    EXPECT_NEAR(f1.false_negative, 2 - lambda, kExact);
    EXPECT_NEAR(f1.false_positive, lambda, kExact);
    const LabelCost jaccard = label_cost(parse_metric("jaccard").ratios[0], lambda);
    EXPECT_NEAR(jaccard.false_negative, 1, kExact);
    EXPECT_NEAR(jaccard.false_positive, lambda, kExact);
  }
}

// a = −2(γ¹ + γ³), b = 2(γ³ − γ¹), γ = λβ − α in the paper's form.
TEST(LabelCost, MatchesThePapersCoefficients) {
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const CountRatio ratio{{random.normal(), random.normal(), random.normal(), random.normal()},
                           {random.normal(), random.normal(), random.normal(), random.normal()}};
    const double lambda = random.normal();
    const auto alpha = to_paper_form(ratio.numerator);
    const auto beta = to_paper_form(ratio.denominator);
    const auto gamma = [&](std::size_t k) { return lambda * beta[k - 1] - alpha[k - 1]; };
    const LabelCost cost = label_cost(ratio, lambda);
    EXPECT_NEAR(cost.false_negative, -2 * (gamma(1) + gamma(3)), kExact);
    EXPECT_NEAR(cost.false_positive, 2 * (gamma(3) - gamma(1)), kExact);
  }
}

TEST(LinearisedLoss, VanishesAtTheMetricsValue) {
  const CountRatio f1 = parse_metric("f1").ratios[0];
  const Counts counts{.tp = 5, .fp = 2, .fn = 4, .tn = 9};
  EXPECT_NEAR(linearised_loss(f1, ratio_value(f1, counts, 0), counts), 0, kExact);
  EXPECT_GT(linearised_loss(f1, 0.9, counts), 0);
  EXPECT_LT(linearised_loss(f1, 0.1, counts), 0);
}

TEST(LabelCosts, OneLambdaOrOnePerLabel) {
  const Metric f1 = parse_metric("macro-f1");
  EXPECT_EQ(label_costs(f1, 3, {0.5})[2].false_positive, 0.5);
  EXPECT_EQ(label_costs(f1, 2, {0.5, 0.25})[1].false_positive, 0.25);
  Metric per_label = f1;
  per_label.ratios.push_back(parse_metric("jaccard").ratios[0]);
  EXPECT_EQ(label_costs(per_label, 2, {0.5})[1].false_negative, 1);
  EXPECT_THROW(static_cast<void>(label_costs(per_label, 3, {0.5})), UsageError);
}

// Above the threshold predicting is cheaper in expectation, below it dearer.
TEST(PosteriorThreshold, SeparatesTheCheaperPrediction) {
  for (const double a : {-0.5, 0.0, 0.3, 1.0, 2.0}) {
    for (const double b : {-0.5, 0.0, 0.3, 1.0}) {
      if (a < 0 && b < 0) continue;
      const double threshold = posterior_threshold({.false_negative = a, .false_positive = b});
      for (int k = 0; k <= 40; ++k) {
        const double p = k / 40.0;
        const double advantage = p * a - (1 - p) * b;  // of predicting over not predicting
        if (p > threshold) {
          EXPECT_GE(advantage, -kExact) << a << " " << b << " " << p;
        } else if (p < threshold) {
          EXPECT_LE(advantage, kExact) << a << " " << b << " " << p;
        }
      }
    }
  }
  EXPECT_DOUBLE_EQ(posterior_threshold({.false_negative = 1.3, .false_positive = 0.7}), 0.35);  // F1: λ/2
  EXPECT_DOUBLE_EQ(posterior_threshold({.false_negative = -1, .false_positive = -3}), 0.75);
}

}  // namespace
}  // namespace mmo
