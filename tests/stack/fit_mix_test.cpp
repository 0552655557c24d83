#include "mmo/stack/fit_mix.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mmo/core/random.h"
#include "mmo/stack/calibration.h"

namespace mmo {
namespace {

struct Scored {
  DenseMatrix scores;
  LabelMatrix labels;
  std::vector<std::uint32_t> folds;
};

// Label 1 copies label 0 three times out of four, but its own score knows nothing of that.
Scored copied(std::size_t rows, std::uint64_t seed) {
  Random random(seed);
  Scored out{DenseMatrix(rows, 2), {}, {}};
  out.labels.cols = 2;
  for (std::size_t i = 0; i < rows; ++i) {
    const double z = 2 * random.normal();
    const bool first = random.uniform() < 1 / (1 + std::exp(-z));
    const bool second = random.uniform() < 0.75 ? first : random.uniform() < 0.5;
    std::vector<std::uint32_t> row;
    if (first) row.push_back(0);
    if (second) row.push_back(1);
    out.labels.push_row(row);
    out.scores(i, 0) = static_cast<float>(z);
    out.scores(i, 1) = static_cast<float>(0.1 * random.normal());
    out.folds.push_back(static_cast<std::uint32_t>(i % 5));
  }
  return out;
}

TEST(Calibration, FindsTheScaleAndShiftOfTheScores) {
  Random random(1);
  DenseMatrix scores(4000, 3);
  LabelMatrix labels;
  labels.cols = 3;
  for (std::size_t i = 0; i < scores.rows; ++i) {
    std::vector<std::uint32_t> row;
    for (std::size_t j = 0; j < 3; ++j) {
      const double s = random.normal();
      scores(i, j) = static_cast<float>(s);
      if (random.uniform() < 1 / (1 + std::exp(-(2.5 * s - 1)))) row.push_back(static_cast<std::uint32_t>(j));
    }
    labels.push_row(row);
  }
  const Calibration found = fit_calibration(scores, labels, nullptr, {});
  // 12,000 cells: standard errors of about 0.04.
  EXPECT_NEAR(found.scale, 2.5, 0.15);
  EXPECT_NEAR(found.shift, -1.0, 0.15);
}

TEST(Calibration, SeparableScoresStayFinite) {
  DenseMatrix scores(10, 1);
  LabelMatrix labels;
  labels.cols = 1;
  for (std::size_t i = 0; i < 10; ++i) {
    scores(i, 0) = i < 5 ? -1.0F : 1.0F;
    labels.push_row(i < 5 ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{0});
  }
  const Calibration found = fit_calibration(scores, labels, nullptr, {});
  EXPECT_TRUE(std::isfinite(found.scale));
  EXPECT_GT(found.scale, 0);
}

TEST(FitMix, LearnsFromTheOtherLabel) {
  const Scored train = copied(2000, 2);
  const FittedMix fitted = fit_mix(train.scores, train.labels, nullptr, {}, train.folds);
  EXPECT_LT(fitted.log_loss_after, fitted.log_loss_before - 0.02);
  // And the stored mix does the same on new rows.
  const Scored test = copied(2000, 3);
  DenseMatrix mixed = test.scores;
  mix(fitted.mix, mixed);
  const double before = fit_calibration(test.scores, test.labels, nullptr, {}).log_loss;
  const double after = fit_calibration(mixed, test.labels, nullptr, {}).log_loss;
  EXPECT_LT(after, before - 0.02);
}

TEST(FitMix, IndependentLabelsAreLeftNearlyAlone) {
  Random random(4);
  Scored data{DenseMatrix(3000, 2), {}, {}};
  data.labels.cols = 2;
  for (std::size_t i = 0; i < 3000; ++i) {
    std::vector<std::uint32_t> row;
    for (std::size_t j = 0; j < 2; ++j) {
      const double z = 2 * random.normal();
      data.scores(i, j) = static_cast<float>(z);
      if (random.uniform() < 1 / (1 + std::exp(-z))) row.push_back(static_cast<std::uint32_t>(j));
    }
    data.labels.push_row(row);
    data.folds.push_back(static_cast<std::uint32_t>(i % 5));
  }
  const FittedMix fitted = fit_mix(data.scores, data.labels, nullptr, {}, data.folds);
  EXPECT_NEAR(fitted.log_loss_after, fitted.log_loss_before, 0.002);
}

}  // namespace
}  // namespace mmo
