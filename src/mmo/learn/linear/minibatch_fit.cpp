#include "mmo/learn/linear/minibatch_fit.h"

#include <algorithm>
#include <cmath>

#include "mmo/core/parallel.h"
#include "mmo/core/product.h"
#include "mmo/learn/held_out_rows.h"
#include "mmo/learn/linear/ema_lambda.h"
#include "mmo/learn/linear/linear_adam.h"
#include "mmo/loss/asl.h"
#include "mmo/loss/batch.h"
#include "mmo/loss/sigmoid_f1.h"

namespace mmo {
namespace {

// Where the out-of-fold metric is looked at.
constexpr std::size_t checkpoints[] = {125, 250, 500, 1000, 2000};

// The rows of one batch, as the losses want them.
struct BatchTruth {
  TruthRows rows;
  const LabelMatrix& labels;
  const LabelMatrix* unknown;  // null = all known
  std::span<const float> weights;

  BatchTruth(const Problem& problem, std::span<const std::uint32_t> batch)
      : rows(problem.truth(), batch),
        labels(*rows.truth().labels),
        unknown(rows.truth().unknown),
        weights(rows.truth().row_weights) {}
  [[nodiscard]] double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
  [[nodiscard]] std::vector<std::uint8_t> cells() const {
    std::vector<std::uint8_t> present(labels.rows * labels.cols);
    for (std::size_t i = 0; i < labels.rows; ++i) {
      for (const std::uint32_t j : labels.row(i)) present[i * labels.cols + j] = 1;
    }
    return present;
  }
};

LabelMatrix predicted_at_zero(std::span<const float> scores, std::size_t labels) {
  LabelMatrix out;
  out.cols = labels;
  std::vector<std::uint32_t> row;
  for (std::size_t i = 0; i < scores.size() / labels; ++i) {
    row.clear();
    for (std::size_t j = 0; j < labels; ++j) {
      if (scores[i * labels + j] >= 0) row.push_back(static_cast<std::uint32_t>(j));
    }
    out.push_row(row);
  }
  return out;
}

// The surrogate at the λ of the moment; scores are logits z = 2h. `ema` must outlive the loss.
BatchLoss ema_loss(const Problem& problem, EmaLambda& ema) {
  return [&problem, &ema](std::span<const std::uint32_t> rows, std::span<const float> scores,
                          std::span<float> slope) {
    const std::size_t labels = problem.label_count();
    const BatchTruth batch(problem, rows);
    ema.update(predicted_at_zero(scores, labels), batch.rows.truth());
    std::vector<float> half(scores.begin(), scores.end());
    for (float& h : half) h *= 0.5F;
    ScoreBatch input;
    input.rows = rows.size();
    input.labels_count = labels;
    input.scores = half;
    input.labels = &batch.labels;
    input.unknown = batch.unknown;
    input.row_weights = batch.weights;
    const double value = batch_surrogate(input, ema.costs(), 0, Reduction::sum, slope);
    const float scale = 0.5F / static_cast<float>(rows.size());  // dh/dz, and the mean over rows
    for (float& s : slope) s *= scale;
    return value / static_cast<double>(rows.size());
  };
}

BatchLoss asl_loss(const Problem& problem) {
  return
      [&problem](std::span<const std::uint32_t> rows, std::span<const float> scores, std::span<float> slope) {
        const std::size_t labels = problem.label_count();
        const BatchTruth batch(problem, rows);
        const std::vector<std::uint8_t> present = batch.cells();
        const std::vector<double> z(scores.begin(), scores.end());
        std::vector<double> gradient(labels);
        const double share = 1.0 / static_cast<double>(rows.size());
        double value = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const double weight = share * batch.weight(i);
          value += weight * asl(std::span(z).subspan(i * labels, labels),
                                std::span(present).subspan(i * labels, labels), {}, gradient);
          for (std::size_t j = 0; j < labels; ++j)
            slope[i * labels + j] = static_cast<float>(weight * gradient[j]);
          if (batch.unknown != nullptr) {
            for (const std::uint32_t j : batch.unknown->row(i)) slope[i * labels + j] = 0;
          }
        }
        return value;
      };
}

// Micro for micro and samples metrics, macro otherwise. Rows can't be weighted inside its ratio.
BatchLoss sigmoid_f1_loss(const Problem& problem, bool micro) {
  return [&problem, micro](std::span<const std::uint32_t> rows, std::span<const float> scores,
                           std::span<float> slope) {
    const std::size_t labels = problem.label_count();
    const BatchTruth batch(problem, rows);
    const std::vector<std::uint8_t> present = batch.cells();
    std::vector<double> z(scores.begin(), scores.end());
    for (std::size_t i = 0; batch.unknown != nullptr && i < batch.unknown->rows; ++i) {
      for (const std::uint32_t j : batch.unknown->row(i)) z[i * labels + j] = -1e30;  // S = 0: not counted
    }
    std::vector<double> gradient(z.size());
    const double value = sigmoid_f1(labels, z, present, {.micro = micro}, gradient);
    std::copy(gradient.begin(), gradient.end(), slope.begin());
    return value;
  };
}

// Weights 0, bias = log-odds of the label among the given rows, one more row on both sides.
DenseMatrix start_weights(const MappedProblem& mapped, std::span<const std::uint32_t> rows) {
  const Problem& problem = *mapped.problem;
  DenseMatrix weights(feature_cols(mapped.x()) + 1, problem.label_count());
  std::vector<double> positives(problem.label_count(), 1.0);
  for (const std::uint32_t i : rows) {
    for (const std::uint32_t j : problem.labels->row(i)) positives[j] += 1;
  }
  for (std::size_t j = 0; j < positives.size(); ++j) {
    const double negatives = static_cast<double>(rows.size()) + 2 - positives[j];
    weights(weights.rows - 1, j) = static_cast<float>(std::log(positives[j] / negatives));
  }
  return weights;
}

// Writes the scores of `rows` into the same rows of `out`.
void score_rows(const MappedProblem& mapped, std::span<const std::uint32_t> rows, const DenseMatrix& weights,
                DenseMatrix& out) {
  const Features part = take_rows(mapped.x(), rows);
  DenseMatrix slopes = weights;
  const auto bias = weights.row(weights.rows - 1);
  slopes.values.resize((weights.rows - 1) * weights.cols);
  slopes.rows = weights.rows - 1;
  DenseMatrix z(rows.size(), weights.cols);
  for (std::size_t i = 0; i < z.rows; ++i) std::copy(bias.begin(), bias.end(), z.row(i).begin());
  std::visit([&](const auto& x) { add_product(x, 0, x.rows, slopes, z.values.data()); }, part);
  for (std::size_t i = 0; i < z.rows; ++i)
    std::copy(z.row(i).begin(), z.row(i).end(), out.row(rows[i]).begin());
}

// Trains on `rows` for `steps`; λ is returned when the loss follows one.
std::vector<double> run(const MappedProblem& mapped, const Metric& metric, MiniBatch kind,
                        std::span<const std::uint32_t> rows, std::size_t steps, std::uint64_t seed,
                        const AfterStep& report, DenseMatrix& weights) {
  const Problem& problem = *mapped.problem;
  AdamOptions options;
  options.steps = steps;
  options.seed = seed;
  if (report) options.report_at.assign(std::begin(checkpoints), std::end(checkpoints));
  EmaLambda ema(metric, problem.label_count());
  const bool micro = metric.average == Average::micro || metric.average == Average::samples;
  const BatchLoss loss = kind == MiniBatch::ema   ? ema_loss(problem, ema)
                         : kind == MiniBatch::asl ? asl_loss(problem)
                                                  : sigmoid_f1_loss(problem, micro);
  weights = start_weights(mapped, rows);
  fit_linear_adam(mapped.x(), rows, loss, options, report, weights);
  return kind == MiniBatch::ema ? ema.lambda() : std::vector<double>{};
}

}  // namespace

MiniBatchFit fit_minibatch(const MappedProblem& mapped, const Metric& metric, MiniBatch loss,
                           std::uint64_t seed, const Criterion& criterion) {
  const Problem& problem = *mapped.problem;
  std::vector<DenseMatrix> scores(std::size(checkpoints), DenseMatrix(problem.rows(), problem.label_count()));
  const auto rows_where = [&](auto&& wanted) {
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < problem.rows(); ++i) {
      if (wanted(problem.hold_out.fold_of_row()[i])) rows.push_back(static_cast<std::uint32_t>(i));
    }
    return rows;
  };
  parallel_for(problem.hold_out.folds(), [&](std::size_t fold) {
    const auto held_out = rows_where([&](std::uint32_t f) { return f == fold; });
    const auto rows = rows_where([&](std::uint32_t f) { return f != fold; });
    const AfterStep look = [&](std::size_t step, const DenseMatrix& weights) {
      const auto at = std::find(std::begin(checkpoints), std::end(checkpoints), step) - checkpoints;
      score_rows(mapped, held_out, weights, scores[static_cast<std::size_t>(at)]);
    };
    DenseMatrix weights;
    run(mapped, metric, loss, rows, std::end(checkpoints)[-1], seed, look, weights);
  });

  const HeldOutRows held_out(problem);
  DenseMatrix buffer;
  MiniBatchFit fit;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    fit.path.push_back({checkpoints[c], criterion(held_out.of(scores[c], buffer), held_out.truth())});
    if (fit.path[c].value > fit.path[fit.best].value) fit.best = c;
  }
  fit.scores = std::move(scores[fit.best]);
  const std::vector<std::uint32_t> rows = problem.hold_out.training_rows();
  fit.lambda = run(mapped, metric, loss, rows, fit.path[fit.best].steps, seed, {}, fit.weights);
  return fit;
}

}  // namespace mmo
