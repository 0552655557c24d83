#include "mmo/stack/fit_mix.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "mmo/calibrate/calibration.h"
#include "mmo/calibrate/logistic_fit.h"
#include "mmo/core/parallel.h"
#include "mmo/core/random.h"

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

// The formulas of fit_mix.h, in double and without their sparse form: V of the rows outside of one fold, or
// of all.
DenseMatrix weights_by_formula(const DenseMatrix& z, const LabelMatrix& y, const LabelMatrix& unknown,
                               std::span<const float> row_weights, double ridge,
                               std::span<const std::uint32_t> folds = {}, std::uint32_t left_out = 0) {
  const auto n = static_cast<Eigen::Index>(z.rows);
  const auto l = static_cast<Eigen::Index>(z.cols);
  Eigen::MatrixXd p(n, l);
  Eigen::MatrixXd error(n, l);
  Eigen::VectorXd w(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    w[i] = row_weights[row];
    for (Eigen::Index j = 0; j < l; ++j)
      p(i, j) = 1 / (1 + std::exp(-double{z(row, static_cast<std::size_t>(j))}));
    error.row(i) = -p.row(i);
    for (const std::uint32_t j : y.row(row)) error(i, j) += 1;
    for (const std::uint32_t j : unknown.row(row)) error(i, j) = 0;
  }
  const Eigen::RowVectorXd mean = (w.transpose() * p) / w.sum();
  const Eigen::MatrixXd centred = p.rowwise() - mean;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    if (folds[i] == left_out) w[static_cast<Eigen::Index>(i)] = 0;
  }
  Eigen::MatrixXd gram = centred.transpose() * w.asDiagonal() * centred;
  const double shift = ridge * gram.trace() / static_cast<double>(l);
  gram.diagonal().array() += shift;
  const Eigen::MatrixXd v = gram.llt().solve(centred.transpose() * w.asDiagonal() * error);
  DenseMatrix out(z.cols, z.cols);
  for (Eigen::Index k = 0; k < l; ++k) {
    for (Eigen::Index j = 0; j < l; ++j)
      out(static_cast<std::size_t>(k), static_cast<std::size_t>(j)) = static_cast<float>(v(k, j));
  }
  return out;
}

struct Weighted : Scored {
  LabelMatrix unknown;
  std::vector<float> row_weights;
};

// More labels than one block of the products, row weights and unknown cells.
Weighted many_labels() {
  constexpr std::size_t l = 130;
  Random random(9);
  Weighted data{{DenseMatrix(900, l), {}, {}}, {}, {}};
  data.labels.cols = data.unknown.cols = l;
  for (std::size_t i = 0; i < 900; ++i) {
    std::vector<std::uint32_t> present;
    std::vector<std::uint32_t> hidden;
    const double topic = random.normal();
    for (std::uint32_t j = 0; j < l; ++j) {
      const double z = random.normal() + (j % 3 == 0 ? topic : 0.0) - 1;
      data.scores(i, j) = static_cast<float>(z);
      const double draw = random.uniform();
      if (draw < 0.05) hidden.push_back(j);
      if ((draw < 0.01 || draw > 0.05) &&  // some are listed as well, which must not count
          random.uniform() < 1 / (1 + std::exp(-z - (j % 3 == 1 ? topic : 0.0))))
        present.push_back(j);
    }
    data.labels.push_row(present);
    data.unknown.push_row(hidden);
    data.folds.push_back(static_cast<std::uint32_t>(i % 3));
    data.row_weights.push_back(static_cast<float>(0.5 + random.uniform()));
  }
  return data;
}

TEST(FitMix, FollowsItsFormula) {
  const Weighted data = many_labels();
  const FittedMix fitted = fit_mix(data.scores, data.labels, &data.unknown, data.row_weights, data.folds);
  const DenseMatrix expected =
      weights_by_formula(data.scores, data.labels, data.unknown, data.row_weights, 0.1);
  // The stored weights are V times one factor b.
  double product = 0;
  double square = 0;
  for (std::size_t e = 0; e < expected.values.size(); ++e) {
    product += double{expected.values[e]} * fitted.mix.weights.values[e];
    square += double{expected.values[e]} * expected.values[e];
  }
  const double b = product / square;
  EXPECT_GT(b, 0.1);
  for (std::size_t e = 0; e < expected.values.size(); ++e)
    ASSERT_NEAR(fitted.mix.weights.values[e], b * expected.values[e], 1e-4 * b);
}

// z′ = a·z + b·Q + c, where Q of a row comes from the other folds.
TEST(FitMix, HeldOutScoresFollowTheirFormula) {
  const Weighted data = many_labels();
  constexpr double ridge = 0.3;
  const FittedMix fitted =
      fit_mix(data.scores, data.labels, &data.unknown, data.row_weights, data.folds, alone(), ridge);
  const DenseMatrix whole =
      weights_by_formula(data.scores, data.labels, data.unknown, data.row_weights, ridge);
  double product = 0;
  double square = 0;
  for (std::size_t e = 0; e < whole.values.size(); ++e) {
    product += double{whole.values[e]} * fitted.mix.weights.values[e];
    square += double{whole.values[e]} * whole.values[e];
  }
  const double b = product / square;
  for (std::uint32_t fold = 0; fold < 3; ++fold) {
    const DenseMatrix v =
        weights_by_formula(data.scores, data.labels, data.unknown, data.row_weights, ridge, data.folds, fold);
    for (std::size_t i = fold; i < 90; i += 3) {
      for (std::size_t j = 0; j < v.cols; ++j) {
        double q = 0;
        for (std::size_t k = 0; k < v.rows; ++k)
          q += (1 / (1 + std::exp(-double{data.scores(i, k)})) - fitted.mix.centre[k]) * v(k, j);
        const double expected = fitted.mix.scale * data.scores(i, j) + b * q + fitted.mix.shift;
        ASSERT_NEAR(fitted.scores(i, j), expected, 1e-3);  // 130 float32 terms
      }
    }
  }
}

TEST(FitMix, AnyThreadsGiveTheSameBits) {
  const Weighted data = many_labels();
  const auto fit = [&](int threads) {
    set_threads(threads);
    FittedMix fitted = fit_mix(data.scores, data.labels, &data.unknown, data.row_weights, data.folds);
    set_threads(0);
    return fitted;
  };
  const FittedMix one = fit(1);
  const FittedMix four = fit(4);
  EXPECT_EQ(one.scores.values, four.scores.values);
  EXPECT_EQ(one.mix.weights.values, four.mix.weights.values);
}

TEST(ScoreCells, DerivativesMeetFiniteDifferences) {
  const Weighted data = many_labels();
  DenseMatrix q = data.scores;
  Random random(11);
  for (float& value : q.values) value = static_cast<float>(random.normal());
  const ScoreCells cells(data.scores, &q, data.labels, &data.unknown, data.row_weights);
  const ScoreCells::Theta theta{0.8, 0.3, -0.2};
  const auto at = cells.expand(theta);
  constexpr double step = 1e-3;
  for (std::size_t k = 0; k < 3; ++k) {
    ScoreCells::Theta up = theta;
    ScoreCells::Theta down = theta;
    up[k] += step;
    down[k] -= step;
    const auto above = cells.expand(up);
    const auto below = cells.expand(down);
    EXPECT_NEAR(at.gradient[k], (above.value - below.value) / (2 * step), 1e-4);
    for (std::size_t m = 0; m < 3; ++m)
      EXPECT_NEAR(at.hessian[k][m], (above.gradient[m] - below.gradient[m]) / (2 * step), 1e-4);
  }
}

}  // namespace
}  // namespace mmo
