#include "mmo/calibrate/score_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mmo/core/error.h"
#include "mmo/core/random.h"

namespace mmo {
namespace {

struct Scored {
  DenseMatrix scores;
  LabelMatrix labels;
};

// A label is present with probability σ(u), and its score is u or σ(u).
Scored draw(bool probabilities, std::size_t rows) {
  Random random(11);
  Scored out{DenseMatrix(rows, 3), {}};
  out.labels.cols = 3;
  std::vector<std::uint32_t> present;
  for (std::size_t i = 0; i < rows; ++i) {
    present.clear();
    for (std::uint32_t j = 0; j < 3; ++j) {
      const double u = 2 * random.normal() - 1;
      const double p = 1 / (1 + std::exp(-u));
      if (random.uniform() < p) present.push_back(j);
      out.scores(i, j) = static_cast<float>(probabilities ? p : u);
    }
    out.labels.push_row(present);
  }
  return out;
}

TEST(ScoreMap, CalibratedScoresStayAsTheyAre) {
  for (const bool probabilities : {false, true}) {
    const Scored data = draw(probabilities, 20000);
    const ScoreMap map = fit_score_map(data.scores, data.labels, nullptr, {}, "scores");
    EXPECT_EQ(map.probabilities, probabilities);
    constexpr double sampling_error = 0.05;  // 60,000 cells: three standard errors of either parameter
    EXPECT_NEAR(map.calibration.scale, 1, sampling_error);
    EXPECT_NEAR(map.calibration.shift, 0, sampling_error);
  }
}

TEST(ScoreMap, InverseUndoesIt) {
  for (const bool probabilities : {false, true}) {
    const ScoreMap map{.probabilities = probabilities, .calibration = {.scale = 2, .shift = -1}};
    DenseMatrix score(1, 1, 0.25F);
    EXPECT_NEAR(map.inverse(map.apply(score)(0, 0)), 0.25, 1e-6);  // float32 in between
  }
}

TEST(ScoreMap, RefusesScoresOfTheWrongSign) {
  Scored data = draw(false, 200);
  for (float& s : data.scores.values) s = -s;
  EXPECT_THROW((void)fit_score_map(data.scores, data.labels, nullptr, {}, "scores"), DataError);
  const ScoreMap map =
      fit_score_map(data.scores, data.labels, nullptr, {}, "scores", false, /*accept_reversed=*/true);
  EXPECT_GT(map.calibration.scale, 0);  // never turned over
  EXPECT_FALSE(map.calibration.informative);
}

TEST(ScoreMap, ThresholdsInTheInputsScaleDecideAlike) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const Scored data = draw(true, 500);
  const ScoreMap map = fit_score_map(data.scores, data.labels, nullptr, {}, "scores");
  const std::vector<float> thresholds{-0.3F, inf, 1.2F};
  const auto found = input_thresholds(thresholds, map, data.scores);
  const DenseMatrix logits = map.apply(data.scores);
  for (std::size_t i = 0; i < data.scores.rows; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_EQ(data.scores(i, j) >= found[j], logits(i, j) >= thresholds[j] && thresholds[j] != inf);
  }
}

// Halfway, whatever the logit's threshold; at the ends what the logit says.
TEST(ScoreMap, ThresholdsLieInTheMiddleOfTheirGap) {
  DenseMatrix scores(4, 3);
  scores.values = {1, -3, 0, 2, -2, 0.1F, 3.5F, 5, 0.2F, 6, 6, 0.3F};
  const ScoreMap map{.probabilities = false, .calibration = {.scale = 2, .shift = -1}};
  const auto logit = [](double score) { return static_cast<float>(2 * score - 1); };
  const std::vector<double> found =
      input_thresholds(std::vector<float>{logit(2.1), logit(-10), logit(7)}, map, scores);
  EXPECT_EQ(found[0], 2.75);
  EXPECT_NEAR(found[1], -10, 1e-5);
  EXPECT_NEAR(found[2], 7, 1e-5);
}

}  // namespace
}  // namespace mmo
