// From a ratio to a linearised loss: thm:lambda-star, thm:equiv, thm:equiv-non on finite hypothesis sets.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/cost/cost.h"

namespace mmo {
namespace {

constexpr double kRounding = 1e-12;

// A random distribution over (x, y) with a few x, and hypotheses that each predict a label set for every x,
// reduced to their expected counts per label.
struct World {
  std::vector<std::vector<Counts>> hypotheses;  // [h][label]
};

World random_world(Random& random, std::size_t labels) {
  constexpr std::size_t inputs = 5;
  constexpr std::size_t hypotheses = 30;
  std::vector<std::vector<double>> present(inputs, std::vector<double>(labels));  // P(x, y_j = 1)
  std::vector<double> mass(inputs, 1.0 / inputs);
  for (auto& row : present) {
    for (double& p : row) p = random.uniform() / inputs;
  }
  World world;
  for (std::size_t h = 0; h < hypotheses; ++h) {
    std::vector<Counts> counts(labels);
    for (std::size_t x = 0; x < inputs; ++x) {
      for (std::size_t j = 0; j < labels; ++j) {
        const bool predicted = random.uniform() < 0.5;
        const double p = present[x][j];
        counts[j] += predicted ? Counts{.tp = p, .fp = mass[x] - p, .fn = 0, .tn = 0}
                               : Counts{.tp = 0, .fp = 0, .fn = p, .tn = mass[x] - p};
      }
    }
    world.hypotheses.push_back(counts);
  }
  return world;
}

Counts total(const std::vector<Counts>& counts) {
  Counts sum;
  for (const Counts& c : counts) sum += c;
  return sum;
}

class Linearisation : public testing::TestWithParam<const char*> {};

TEST_P(Linearisation, SignOfTheMinimumTellsTheSideOfTheOptimum) {
  const CountRatio ratio = parse_metric(GetParam()).ratios[0];
  Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const World world = random_world(random, 3);
    double best = -1e9;
    for (const auto& h : world.hypotheses) best = std::max(best, ratio_value(ratio, total(h), 0));
    const auto minimum = [&](double lambda) {
      double lowest = 1e9;
      for (const auto& h : world.hypotheses)
        lowest = std::min(lowest, linearised_loss(ratio, lambda, total(h)));
      return lowest;
    };
    EXPECT_NEAR(minimum(best), 0, kRounding);  // thm:lambda-star, first part
    for (const double offset : {1e-6, 1e-3, 0.1, 1.0}) {
      EXPECT_GT(minimum(best + offset), 0);
      EXPECT_LT(minimum(best - offset), 0);
    }
    for (const auto& h : world.hypotheses) {
      const double loss = linearised_loss(ratio, best, total(h));
      const double gap = best - ratio_value(ratio, total(h), 0);
      // thm:equiv: maximisers of the metric are exactly the minimisers of the loss at λ*, with value 0.
      EXPECT_EQ(gap < kRounding, loss < kRounding * combine(ratio.denominator, total(h)));
      // thm:equiv-non: loss ≤ η ⇔ gap ≤ η / E[ℓ_β]
      for (const double eta : {1e-3, 0.05, 0.2, 1.0}) {
        EXPECT_EQ(loss <= eta, gap <= eta / combine(ratio.denominator, total(h)));
      }
    }
  }
}

// λ ← metric of the minimiser at λ rises to λ* (Dinkelbach).
TEST_P(Linearisation, DinkelbachReachesTheOptimum) {
  const CountRatio ratio = parse_metric(GetParam()).ratios[0];
  Random random(2);
  const World world = random_world(random, 3);
  double best = -1e9;
  for (const auto& h : world.hypotheses) best = std::max(best, ratio_value(ratio, total(h), 0));
  double lambda = ratio_value(ratio, total(world.hypotheses[0]), 0);
  for (int step = 0; step < 20; ++step) {
    double lowest = 1e9;
    double next = lambda;
    for (const auto& h : world.hypotheses) {
      const double loss = linearised_loss(ratio, lambda, total(h));
      if (loss >= lowest) continue;
      lowest = loss;
      next = ratio_value(ratio, total(h), 0);
    }
    EXPECT_GE(next, lambda - kRounding);
    lambda = next;
  }
  EXPECT_NEAR(lambda, best, kRounding);
}

// The linearised loss is the sum of the label costs over wrong cells, up to what no prediction changes.
TEST_P(Linearisation, CostsDescribeTheLossUpToAConstant) {
  const CountRatio ratio = parse_metric(GetParam()).ratios[0];
  Random random(3);
  const World world = random_world(random, 2);
  const double lambda = 0.4;
  const LabelCost cost = label_cost(ratio, lambda);
  double constant = 0;
  for (std::size_t h = 0; h < world.hypotheses.size(); ++h) {
    const Counts c = total(world.hypotheses[h]);
    const double rest =
        linearised_loss(ratio, lambda, c) - cost.false_negative * c.fn - cost.false_positive * c.fp;
    if (h == 0) constant = rest;
    EXPECT_NEAR(rest, constant, kRounding);
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, Linearisation,
                         testing::Values("f1", "f2", "jaccard", "hamming-accuracy", "recall",
                                         "(3*TP+TN)/(3*TP+FP+2*FN+TN)", "(2TP-FP)/(TP+FP+FN)"));

}  // namespace
}  // namespace mmo
