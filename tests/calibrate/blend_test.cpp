#include "mmo/calibrate/blend.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mmo/core/random.h"

namespace mmo {
namespace {

// Labels drawn from logits z; learners see z with noise of their own.
struct Drawn {
  LabelMatrix labels;
  std::vector<DenseMatrix> scores;

  Drawn(std::size_t rows, const std::vector<double>& prevalence, const std::vector<double>& noise) {
    Random random(5);
    labels.cols = prevalence.size();
    for (std::size_t k = 0; k < noise.size(); ++k) scores.emplace_back(rows, labels.cols);
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<std::uint32_t> row;
      for (std::uint32_t j = 0; j < labels.cols; ++j) {
        const double z = std::log(prevalence[j] / (1 - prevalence[j])) + 2 * random.normal();
        if (random.uniform() < 1 / (1 + std::exp(-z))) row.push_back(j);
        for (std::size_t k = 0; k < noise.size(); ++k)
          scores[k](i, j) = static_cast<float>(z + noise[k] * random.normal());
      }
      labels.push_row(row);
    }
  }
};

double log_loss(const DenseMatrix& z, const LabelMatrix& labels) {
  double sum = 0;
  for (std::size_t i = 0; i < z.rows; ++i) {
    std::vector<float> sign(z.cols, -1);
    for (const std::uint32_t j : labels.row(i)) sign[j] = 1;
    for (std::size_t j = 0; j < z.cols; ++j) sum += std::log1p(std::exp(-sign[j] * z(i, j)));
  }
  return sum / static_cast<double>(z.values.size());
}

TEST(Blend, BeatsEachLearnerAndPrefersTheSharperOne) {
  const Drawn drawn(2000, {0.3, 0.5, 0.2}, {1.0, 2.0});
  const Blend blend = fit_blend(drawn.scores, drawn.labels, nullptr, {});
  EXPECT_GT(blend.pooled[0], blend.pooled[1]);
  EXPECT_GT(blend.pooled[1], 0);
  const double together = log_loss(blend_scores(blend, drawn.scores), drawn.labels);
  EXPECT_NEAR(together, blend.log_loss, 1e-3);  // one band of labels: the pooled weights
  for (const DenseMatrix& alone : drawn.scores) EXPECT_LT(together, log_loss(alone, drawn.labels));
}

TEST(Blend, DropsALearnerThatKnowsNothing) {
  Drawn drawn(2000, {0.3, 0.5}, {0.5, 0.5});
  Random random(1);
  for (float& z : drawn.scores[1].values) z = static_cast<float>(random.normal());
  const Blend blend = fit_blend(drawn.scores, drawn.labels, nullptr, {});
  EXPECT_TRUE(blend.uses(0));
  EXPECT_FALSE(blend.uses(1));
  for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(blend.weights(1, j), 0);
}

// The second learner is good at the rare label only.
TEST(Blend, RareLabelsHaveWeightsOfTheirOwn) {
  Drawn drawn(3000, {0.4, 0.4, 0.4, 0.02}, {0.3, 0.3});
  Random random(2);
  for (std::size_t i = 0; i < 3000; ++i) {
    for (std::size_t j = 0; j < 4; ++j)
      drawn.scores[j < 3 ? 1 : 0](i, j) = static_cast<float>((j < 3 ? 0 : -4) + random.normal());
  }
  const Blend blend = fit_blend(drawn.scores, drawn.labels, nullptr, {});
  EXPECT_GT(blend.weights(0, 0), 0.5);
  EXPECT_GT(blend.weights(1, 3), blend.weights(1, 0));
  EXPECT_LT(blend.weights(0, 3), blend.weights(0, 0));
}

TEST(Blend, UnknownCellsAndRowsOfNoWeightCountForNothing) {
  const Drawn drawn(400, {0.3, 0.5}, {1.0, 1.5});
  Drawn longer(400, {0.3, 0.5}, {1.0, 1.5});
  LabelMatrix unknown;
  unknown.cols = 2;
  for (std::size_t i = 0; i < 400; ++i) {
    const std::vector<std::uint32_t> none;
    const std::vector<std::uint32_t> first{0};
    unknown.push_row(i == 7 ? first : none);
  }
  std::vector<float> weights(400, 1.0F);
  weights[9] = 0;
  longer.scores[0](7, 0) = 40;
  longer.scores[1](9, 1) = -40;
  const Blend a = fit_blend(drawn.scores, drawn.labels, &unknown, weights);
  const Blend b = fit_blend(longer.scores, longer.labels, &unknown, weights);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(a.pooled[k], b.pooled[k], 1e-6);
}

}  // namespace
}  // namespace mmo
