#include "mmo/loss/logit_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mmo/core/error.h"
#include "mmo/core/random.h"
#include "mmo/loss/batch.h"

namespace mmo {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Data {
  std::size_t rows = 70, labels = 4;
  std::vector<double> logits, targets;
  std::vector<LabelCost> costs{{1.4, 0.6}, {1, 1}, {-0.5, -0.2}, {1.9, 0.1}};

  [[nodiscard]] LogitRows view() const { return {rows, labels, logits, targets}; }
};

Data random_data() {
  Random random(2);
  Data d;
  for (std::size_t k = 0; k < d.rows * d.labels; ++k) {
    d.logits.push_back(2 * random.normal());
    const double u = random.uniform();
    d.targets.push_back(u < 0.1 ? nan : u < 0.3 ? u : u < 0.5 ? 1 : 0);
  }
  return d;
}

double total(const Data& d, const LogitLoss& loss) {
  double sum = 0;
  for (const double value : surrogate_of_logits(d.view(), d.costs, loss)) sum += value;
  return sum;
}

TEST(LogitRows, GradientAndCurvatureAreDifferences) {
  for (const LogitLoss loss : {LogitLoss{}, LogitLoss{.tau = 0.5}, LogitLoss{.joint = true}}) {
    Data d = random_data();
    std::vector<double> gradient(d.logits.size());
    std::vector<double> curvature(d.logits.size());
    (void)surrogate_of_logits(d.view(), d.costs, loss, gradient, curvature);
    for (std::size_t k = 0; k < d.logits.size(); k += 7) {
      constexpr double step = 1e-3;
      const double at = d.logits[k];
      const double here = total(d, loss);
      d.logits[k] = at + step;
      const double above = total(d, loss);
      d.logits[k] = at - step;
      const double below = total(d, loss);
      d.logits[k] = at;
      constexpr double slope_error = 1e-6;      // step² times a third derivative of order 1
      constexpr double curvature_error = 1e-5;  // and rounding of the sum over 1e-6
      EXPECT_NEAR(gradient[k], (above - below) / (2 * step), slope_error);
      EXPECT_NEAR(curvature[k], (above - 2 * here + below) / (step * step), curvature_error);
      EXPECT_TRUE(!std::isnan(d.targets[k]) || gradient[k] == 0);
    }
  }
}

TEST(LogitRows, EqualsTheBatchForm) {
  const Data d = random_data();
  const std::vector<float> scores(d.logits.begin(), d.logits.end());
  const std::vector<float> targets(d.targets.begin(), d.targets.end());
  for (const bool joint : {false, true}) {
    ScoreBatch batch;
    batch.rows = d.rows;
    batch.labels_count = d.labels;
    batch.scores = scores;
    batch.targets = targets;
    batch.logits = true;
    std::vector<float> gradient(scores.size());
    std::vector<double> expected(scores.size());
    constexpr double float_error = 1e-4;  // 280 cells in float32
    const LogitLoss loss{.joint = joint};
    EXPECT_NEAR(batch_surrogate(batch, d.costs, joint ? 1 : 0, Reduction::sum, gradient), total(d, loss),
                float_error);
    (void)surrogate_of_logits(d.view(), d.costs, loss, expected);
    for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_NEAR(gradient[k], expected[k], 1e-5);
  }
}

TEST(LogitRows, NoCurvatureOfTheJointLossAboveTauZero) {
  const Data d = random_data();
  std::vector<double> curvature(d.logits.size());
  EXPECT_THROW((void)surrogate_of_logits(d.view(), d.costs, {.tau = 0.5, .joint = true}, {}, curvature),
               UsageError);
}

}  // namespace
}  // namespace mmo
