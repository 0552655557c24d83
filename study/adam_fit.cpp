#include "study/adam_fit.h"

#include <algorithm>
#include <numeric>

#include "mmo/core/product.h"
#include "mmo/learn/linear/linear_adam.h"
#include "mmo/loss/batch.h"
#include "mmo/loss/logit_rows.h"

namespace mmo::study {
namespace {

std::vector<std::uint32_t> all_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

// The mean over the batch's rows of the surrogate, τ = 0.
double logistic_loss(const SurrogateLoss& loss, const LabelMatrix& y, std::span<const float> scores,
                     std::span<float> slope) {
  ScoreBatch batch;
  batch.rows = y.rows;
  batch.labels_count = y.cols;
  batch.scores = scores;
  batch.labels = &y;
  const double value = batch_surrogate(batch, loss.costs, loss.joint ? 1 : 0, Reduction::sum, slope);
  for (float& s : slope) s /= static_cast<float>(y.rows);
  return value / static_cast<double>(y.rows);
}

// The same for τ > 0, which the core computes on logits z = 2h.
double bounded_loss(const SurrogateLoss& loss, const LabelMatrix& y, std::span<const float> scores,
                    std::span<float> slope) {
  std::vector<double> logits(scores.begin(), scores.end());
  for (double& z : logits) z *= 2;
  std::vector<double> targets(logits.size());
  for (std::size_t i = 0; i < y.rows; ++i) {
    for (const std::uint32_t j : y.row(i)) targets[i * y.cols + j] = 1;
  }
  std::vector<double> by_logit(logits.size());
  const std::vector<double> values =
      surrogate_of_logits({y.rows, y.cols, logits, targets}, loss.costs, {loss.tau, loss.joint}, by_logit);
  const double share = 1.0 / static_cast<double>(y.rows);
  std::transform(by_logit.begin(), by_logit.end(), slope.begin(),
                 [share](double g) { return static_cast<float>(2 * share * g); });
  return share * std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

DenseMatrix fit_adam(const Part& train, const SurrogateLoss& loss, std::size_t epochs, std::uint64_t seed,
                     const DenseMatrix& start) {
  AdamOptions options;
  options.seed = seed;
  options.steps = epochs * ((train.y.rows + options.batch - 1) / options.batch);
  const BatchLoss of_batch = [&](std::span<const std::uint32_t> rows, std::span<const float> scores,
                                 std::span<float> slope) {
    const LabelMatrix y = take_rows(train.y, rows);
    return loss.tau == 0 ? logistic_loss(loss, y, scores, slope) : bounded_loss(loss, y, scores, slope);
  };
  DenseMatrix weights = start;
  if (weights.rows == 0) weights = DenseMatrix(feature_cols(train.x) + 1, train.y.cols);
  fit_linear_adam(train.x, all_rows(train.y.rows), of_batch, options, {}, weights);
  return weights;
}

DenseMatrix score(const Features& x, const DenseMatrix& weights) {
  const std::size_t rows = feature_rows(x);
  DenseMatrix slopes(weights.rows - 1, weights.cols);
  std::copy_n(weights.values.data(), slopes.rows * slopes.cols, slopes.values.data());
  const std::span<const float> bias = weights.row(slopes.rows);
  DenseMatrix out(rows, weights.cols);
  for (std::size_t i = 0; i < rows; ++i) std::copy(bias.begin(), bias.end(), out.row(i).begin());
  std::visit([&](const auto& m) { add_product(m, 0, rows, slopes, out.values.data()); }, x);
  return out;
}

LabelMatrix predict_at_zero(const DenseMatrix& scores) {
  LabelMatrix out;
  out.cols = scores.cols;
  std::vector<std::uint32_t> row;
  for (std::size_t i = 0; i < scores.rows; ++i) {
    row.clear();
    for (std::size_t j = 0; j < scores.cols; ++j) {
      if (scores(i, j) >= 0) row.push_back(static_cast<std::uint32_t>(j));
    }
    out.push_row(row);
  }
  return out;
}

}  // namespace mmo::study
