#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/loss/batch.h"
#include "mmo/loss/surrogate.h"

namespace mmo {
namespace {

constexpr double float_rounding = 2e-6;    // a few roundings of 6e-8 each
constexpr double difference_error = 2e-4;  // central differences of float32 values of order 1, step 0.05
constexpr double taus[] = {0.0, 0.5, 1.0};

// Logits with soft, hard and unknown targets.
struct Data {
  std::size_t rows, labels;
  std::vector<float> logits, targets;
  std::vector<LabelCost> costs;

  Data(std::size_t n, std::size_t l, double scale) : rows(n), labels(l), costs(l) {
    Random random(11);
    for (std::size_t k = 0; k < n * l; ++k) {
      logits.push_back(static_cast<float>(scale * random.normal()));
      const double kind = random.uniform();
      targets.push_back(kind < 0.1   ? std::numeric_limits<float>::quiet_NaN()
                        : kind < 0.2 ? static_cast<float>(random.uniform())
                        : kind < 0.5 ? 1.0F
                                     : 0.0F);
    }
    for (LabelCost& cost : costs) cost = {1.5 * random.uniform() - 0.2, 1.5 * random.uniform() - 0.2};
  }

  double loss(double tau, Reduction reduction, std::span<float> gradient = {}) const {
    ScoreBatch batch;
    batch.rows = rows;
    batch.labels_count = labels;
    batch.scores = logits;
    batch.targets = targets;
    batch.logits = true;
    return batch_independent(batch, costs, tau, reduction, gradient);
  }
};

// surrogate_independent at h = z / 2 of both truths, mixed by the target.
double reference(const Data& d, double tau, std::vector<double>& gradient, double& known) {
  double sum = 0;
  known = 0;
  gradient.assign(d.logits.size(), 0.0);
  for (std::size_t k = 0; k < d.logits.size(); ++k) {
    const double y = d.targets[k];
    if (std::isnan(y)) continue;
    known += 1;
    for (const bool present : {false, true}) {
      const double h[] = {d.logits[k] / 2.0};
      const CellCost cell[] = {tight_cell(d.costs[k % d.labels], present)};
      double slope[1];
      const double share = present ? y : 1 - y;
      sum += share * surrogate_independent(h, cell, tau, slope);
      gradient[k] += share * slope[0] / 2;
    }
  }
  return sum;
}

TEST(BatchIndependent, MatchesTheRowsInDouble) {
  for (const double scale : {1.0, 30.0, 1e4}) {
    const Data d(23, 701, scale);
    for (const double tau : taus) {
      std::vector<double> expected;
      double known = 0;
      const double sum = reference(d, tau, expected, known);
      std::vector<float> gradient(expected.size());
      EXPECT_NEAR(d.loss(tau, Reduction::sum, gradient) / sum, 1, float_rounding) << tau << " " << scale;
      for (std::size_t k = 0; k < expected.size(); ++k)
        ASSERT_NEAR(gradient[k], expected[k], float_rounding) << tau << " at " << d.logits[k];
      EXPECT_NEAR(d.loss(tau, Reduction::mean, gradient) * known / sum, 1, float_rounding);
      EXPECT_NEAR(gradient[0], expected[0] / known, float_rounding / known);
      EXPECT_EQ(d.loss(tau, Reduction::mean), d.loss(tau, Reduction::mean, gradient));
    }
  }
}

// Relative to the value itself, however small: sums over 100,000 labels that are settled must not be noise.
TEST(BatchIndependent, SmallValuesAndSlopesKeepTheirDigits) {
  for (const double tau : taus) {
    for (const float z : {-60.0F, -20.0F, -3.0F, -1e-3F, 0.0F, 1e-3F, 3.0F, 20.0F, 60.0F}) {
      Data d(1, 1, 1);
      d.logits = {z};
      d.targets = {1};
      d.costs = {{1.3, 0.4}};
      std::vector<double> expected;
      double known = 0;
      const double value = reference(d, tau, expected, known);
      std::vector<float> gradient(1);
      EXPECT_NEAR(d.loss(tau, Reduction::sum, gradient) / value, 1, float_rounding) << tau << " at " << z;
      EXPECT_NEAR(gradient[0] / expected[0], 1, float_rounding) << tau << " at " << z;
    }
  }
}

TEST(BatchIndependent, TheGradientIsTheSlope) {
  for (const double tau : taus) {
    Data d(3, 5, 2);
    std::vector<float> gradient(d.logits.size());
    d.loss(tau, Reduction::sum, gradient);
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      const float at = d.logits[k];
      const float step = 0.05F;
      d.logits[k] = at + step;
      const double above = d.loss(tau, Reduction::sum);
      d.logits[k] = at - step;
      const double below = d.loss(tau, Reduction::sum);
      d.logits[k] = at;
      EXPECT_NEAR(gradient[k], (above - below) / (2.0 * step), difference_error) << tau;
    }
  }
}

TEST(BatchIndependent, NotANumberStaysOne) {
  for (const double tau : taus) {
    Data d(2, 9, 1);
    d.logits[4] = std::numeric_limits<float>::quiet_NaN();
    d.targets[4] = 1;
    EXPECT_TRUE(std::isnan(d.loss(tau, Reduction::mean))) << tau;
  }
}

TEST(BatchIndependent, DoesNotDependOnTheNumberOfThreads) {
  const Data d(300, 1000, 2);
  for (const double tau : taus) {
    std::vector<float> one(d.logits.size());
    std::vector<float> three(d.logits.size());
    set_threads(1);
    const double value = d.loss(tau, Reduction::mean, one);
    set_threads(3);
    EXPECT_EQ(d.loss(tau, Reduction::mean, three), value);
    set_threads(0);
    for (std::size_t k = 0; k < one.size(); ++k) ASSERT_EQ(one[k], three[k]);
  }
}

}  // namespace
}  // namespace mmo
