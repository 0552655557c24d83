#include "deep/loss/losses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mmo/core/error.h"
#include "mmo/core/random.h"
#include "mmo/loss/surrogate.h"
#include "support/brute_force.h"
#include "support/plain_losses.h"

namespace mmo::deep {
namespace {

constexpr std::size_t rows = 5;
constexpr std::size_t labels = 4;
constexpr double value_tolerance = 1e-6;  // float32 kernels against double formulas, values of order 1
constexpr double slope_tolerance = 2e-3;  // central differences of float32 logits
constexpr float unknown = std::numeric_limits<float>::quiet_NaN();

struct Example {
  std::vector<float> logits, targets;
  std::vector<LabelCost> costs;

  Example() : logits(rows * labels), targets(rows * labels), costs(labels) {
    Random random(7);
    for (float& z : logits) z = static_cast<float>(2 * random.normal());
    for (float& y : targets) y = random.uniform() < 0.4 ? 1.0F : 0.0F;
    for (LabelCost& cost : costs) cost = {0.5 + random.uniform(), 0.2 + random.uniform()};
  }
  double loss(const LossSettings& settings, std::vector<float>& gradient) const {
    gradient.assign(logits.size(), 0);
    return batch_loss(settings, {labels, logits, targets}, costs, gradient);
  }
};

LossSettings settings_of(LossKind kind, double tau = 0, double kappa = 0) {
  LossSettings out;
  out.kind = kind;
  out.tau = tau;
  out.kappa = kappa;
  return out;
}

// The mean over known cells of what the core computes row by row at h = z / 2.
double reference(const Example& example, double tau, double kappa) {
  double sum = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> scores(labels);
    std::vector<CellCost> cells(labels);
    for (std::size_t j = 0; j < labels; ++j) {
      scores[j] = example.logits[i * labels + j] / 2;
      cells[j] = tight_cell(example.costs[j], example.targets[i * labels + j] > 0.5F);
    }
    sum += kappa == 0 ? surrogate_independent(scores, cells, tau)
           : tau == 0 ? surrogate_joint(scores, cells, kappa)
                      : surrogate_joint_tau(scores, cells, tau);
  }
  return sum / (rows * labels);
}

TEST(Losses, SurrogateEqualsTheCoreForEveryTauAndCoupling) {
  const Example example;
  std::vector<float> gradient;
  for (const double tau : {0.0, 0.5, 1.0}) {
    for (const double kappa : {0.0, 1.0}) {
      EXPECT_NEAR(example.loss(settings_of(LossKind::mmo, tau, kappa), gradient),
                  reference(example, tau, kappa), value_tolerance * 10)
          << tau << " " << kappa;
    }
  }
}

// κ·joint + (1 − κ)·independent, both by their sums over label sets: all 2^l, and the two of each label
// alone.
TEST(Losses, FractionalCouplingIsTheMixtureOfTheSums) {
  const Example example;
  std::vector<float> gradient;
  const double tau = 0.7;
  const double kappa = 0.2;
  double joint = 0;
  double independent = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> h;
    LabelSet y;
    double total = 0;
    for (std::size_t j = 0; j < labels; ++j) {
      const LabelCost& cost = example.costs[j];
      h.push_back(example.logits[i * labels + j] / 2);
      y.push_back(example.targets[i * labels + j] > 0.5F ? 1 : -1);
      const double wrong = y[j] > 0 ? cost.false_negative : cost.false_positive;
      total += wrong;
      independent += surrogate_by_enumeration({h[j]}, {y[j]}, {cost}, tau, wrong);
    }
    joint += surrogate_by_enumeration(h, y, example.costs, tau, total) / std::ldexp(1.0, labels - 1);
  }
  EXPECT_NEAR(example.loss(settings_of(LossKind::mmo, tau, kappa), gradient),
              (kappa * joint + (1 - kappa) * independent) / (rows * labels), value_tolerance);
}

TEST(Losses, CrossEntropyEqualsTheCore) {
  const Example example;
  std::vector<float> gradient;
  const std::vector<double> logits(example.logits.begin(), example.logits.end());
  std::vector<std::uint8_t> present;
  for (const float y : example.targets) present.push_back(y > 0.5F ? 1 : 0);
  EXPECT_NEAR(example.loss(settings_of(LossKind::bce), gradient), bce(logits, present) / (rows * labels),
              value_tolerance);
}

TEST(Losses, EveryGradientIsTheSlope) {
  for (const LossSettings& settings :
       {settings_of(LossKind::bce), settings_of(LossKind::asl), settings_of(LossKind::sigmoid_f1),
        settings_of(LossKind::mmo), settings_of(LossKind::mmo, 0.5), settings_of(LossKind::mmo, 0, 1),
        settings_of(LossKind::mmo, 0.7, 1), settings_of(LossKind::mmo, 0.7, 0.2)}) {
    Example example;
    std::vector<float> gradient;
    std::vector<float> ignored;
    example.loss(settings, gradient);
    for (std::size_t k = 0; k < example.logits.size(); ++k) {
      const float at = example.logits[k];
      const float h = 1e-2F;
      example.logits[k] = at + h;
      const double above = example.loss(settings, ignored);
      example.logits[k] = at - h;
      const double below = example.loss(settings, ignored);
      example.logits[k] = at;
      EXPECT_NEAR(gradient[k], (above - below) / (2 * h), slope_tolerance)
          << loss_name(settings.kind) << " tau " << settings.tau << " kappa " << settings.kappa;
    }
  }
}

TEST(Losses, UnknownCellsHaveNoGradientAndLeaveTheMean) {
  for (const double tau : {0.0, 0.5}) {
    Example example;
    example.targets[3] = unknown;
    std::vector<float> gradient;
    const double loss = example.loss(settings_of(LossKind::mmo, tau), gradient);
    EXPECT_EQ(gradient[3], 0);
    example.logits[3] = 50;  // nobody sees it
    EXPECT_NEAR(example.loss(settings_of(LossKind::mmo, tau), gradient), loss, value_tolerance);
  }
}

TEST(Losses, RefusesWhatCannotBeTrained) {
  EXPECT_THROW(require_usable(settings_of(LossKind::asl), 4, true), UsageError);
  EXPECT_THROW(require_usable(settings_of(LossKind::mmo, 0.5, 1), 65, false), UsageError);
  EXPECT_NO_THROW(require_usable(settings_of(LossKind::mmo, 0.5, 1), 64, true));
  EXPECT_THROW(static_cast<void>(parse_loss("mse")), UsageError);
}

}  // namespace
}  // namespace mmo::deep
