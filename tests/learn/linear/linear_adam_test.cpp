#include "mmo/learn/linear/linear_adam.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mmo/core/random.h"

namespace mmo {
namespace {

struct Data {
  DenseMatrix x;
  std::vector<float> target;  // rows × labels
  std::vector<std::uint32_t> rows;
};

// target = X·truth + bias, two labels, no noise.
Data linear_data(const DenseMatrix& truth) {
  Data data;
  const std::size_t n = 200;
  data.x = DenseMatrix(n, truth.rows - 1);
  Random random(3);
  for (float& v : data.x.values) v = static_cast<float>(random.normal());
  for (std::size_t i = 0; i < n; ++i) {
    data.rows.push_back(static_cast<std::uint32_t>(i));
    for (std::size_t j = 0; j < truth.cols; ++j) {
      float sum = truth(truth.rows - 1, j);
      for (std::size_t k = 0; k < data.x.cols; ++k) sum += data.x(i, k) * truth(k, j);
      data.target.push_back(sum);
    }
  }
  return data;
}

// Mean squared error.
BatchLoss squared_error(const Data& data, std::size_t labels) {
  return [&data, labels](std::span<const std::uint32_t> rows, std::span<const float> scores,
                         std::span<float> slope) {
    double value = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < labels; ++j) {
        const float error = scores[i * labels + j] - data.target[rows[i] * labels + j];
        value += 0.5 * error * error / static_cast<double>(rows.size());
        slope[i * labels + j] = error / static_cast<float>(rows.size());
      }
    }
    return value;
  };
}

DenseMatrix known_weights() {
  DenseMatrix truth(4, 2);
  truth.values = {1.0F, -0.5F, 0.0F, 0.75F, -1.0F, 0.25F, 0.5F, -0.25F};
  return truth;
}

TEST(LinearAdam, FindsTheLeastSquaresSolution) {
  const DenseMatrix truth = known_weights();
  const Data data = linear_data(truth);
  AdamOptions options;
  options.learning_rate = 1e-2;
  options.weight_decay = 0;
  options.steps = 3000;
  DenseMatrix weights(4, 2);
  fit_linear_adam(data.x, data.rows, squared_error(data, 2), options, {}, weights);
  // Without noise the steps shrink with the gradient; 1e-3 leaves room for the last oscillations.
  for (std::size_t e = 0; e < truth.values.size(); ++e) EXPECT_NEAR(weights.values[e], truth.values[e], 1e-3);
}

// The first step moves every weight by the learning rate against the sign of its gradient.
TEST(LinearAdam, FirstStepHasTheLengthOfTheLearningRate) {
  const Data data = linear_data(known_weights());
  AdamOptions options;
  options.weight_decay = 0;
  options.steps = 1;
  options.batch = data.rows.size();
  DenseMatrix weights(4, 2);
  fit_linear_adam(data.x, data.rows, squared_error(data, 2), options, {}, weights);
  for (const float w : weights.values) EXPECT_NEAR(std::abs(w), options.learning_rate, 1e-6);
}

TEST(LinearAdam, WeightDecayShrinksWeightsButNotTheBias) {
  const Data data = linear_data(known_weights());
  const BatchLoss nothing = [](auto, auto, std::span<float> slope) {
    std::fill(slope.begin(), slope.end(), 0.0F);
    return 0.0;
  };
  AdamOptions options;
  options.weight_decay = 0.1;
  options.steps = 10;
  DenseMatrix weights(4, 2, 1.0F);
  fit_linear_adam(data.x, data.rows, nothing, options, {}, weights);
  for (std::size_t e = 0; e < 6; ++e) EXPECT_LT(weights.values[e], 1.0F);
  for (std::size_t e = 6; e < 8; ++e) EXPECT_EQ(weights.values[e], 1.0F);
}

TEST(LinearAdam, TheSeedDecidesTheOrderOfRowsAndNothingElse) {
  const Data data = linear_data(known_weights());
  const auto fit = [&](std::uint64_t seed) {
    AdamOptions options;
    options.steps = 50;
    options.batch = 32;
    options.seed = seed;
    DenseMatrix weights(4, 2);
    fit_linear_adam(data.x, data.rows, squared_error(data, 2), options, {}, weights);
    return weights.values;
  };
  EXPECT_EQ(fit(1), fit(1));
  EXPECT_NE(fit(1), fit(2));
}

TEST(LinearAdam, EveryPassSeesEveryRowOnce) {
  const Data data = linear_data(known_weights());
  std::vector<int> seen(data.rows.size());
  const BatchLoss count = [&](std::span<const std::uint32_t> rows, auto, std::span<float> slope) {
    for (const std::uint32_t i : rows) ++seen[i];
    std::fill(slope.begin(), slope.end(), 0.0F);
    return 0.0;
  };
  AdamOptions options;
  options.batch = 64;  // 200 rows: batches of 64, 64, 64 and 8
  options.steps = 8;
  DenseMatrix weights(4, 2);
  fit_linear_adam(data.x, data.rows, count, options, {}, weights);
  for (const int times : seen) EXPECT_EQ(times, 2);
}

TEST(LinearAdam, SparseAndDenseRowsGiveTheSameFit) {
  const Data data = linear_data(known_weights());
  CsrMatrix sparse;
  sparse.cols = data.x.cols;
  for (std::size_t i = 0; i < data.x.rows; ++i) {
    for (std::size_t k = 0; k < data.x.cols; ++k) {
      sparse.indices.push_back(static_cast<std::uint32_t>(k));
      sparse.values.push_back(data.x(i, k));
    }
    sparse.offsets.push_back(sparse.indices.size());
    ++sparse.rows;
  }
  AdamOptions options;
  options.steps = 100;
  DenseMatrix dense_weights(4, 2);
  DenseMatrix sparse_weights(4, 2);
  fit_linear_adam(data.x, data.rows, squared_error(data, 2), options, {}, dense_weights);
  fit_linear_adam(sparse, data.rows, squared_error(data, 2), options, {}, sparse_weights);
  // Float sums in another order.
  for (std::size_t e = 0; e < dense_weights.values.size(); ++e)
    EXPECT_NEAR(dense_weights.values[e], sparse_weights.values[e], 1e-4);
}

TEST(LinearAdam, ReportsAtTheStepsAskedFor) {
  const Data data = linear_data(known_weights());
  AdamOptions options;
  options.steps = 30;
  options.report_at = {10, 30};
  std::vector<std::size_t> steps;
  DenseMatrix last;
  DenseMatrix weights(4, 2);
  fit_linear_adam(
      data.x, data.rows, squared_error(data, 2), options,
      [&](std::size_t step, const DenseMatrix& w) {
        steps.push_back(step);
        last = w;
      },
      weights);
  EXPECT_EQ(steps, (std::vector<std::size_t>{10, 30}));
  EXPECT_EQ(last.values, weights.values);
}

}  // namespace
}  // namespace mmo
