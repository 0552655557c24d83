#include "mmo/learn/linear/lambda_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mmo/learn/held_out_rows.h"
#include "mmo/rule/decision_rule.h"
#include "mmo/rule/empirical_thresholds.h"

namespace mmo {
namespace {

// What training takes: costs whose absolute values have the mean 1 (only the ratio decides; L2 stays
// comparable over λ). Both negative: left so, the column is trained on flipped signs (objective/
// column_data.h). One negative: the cheap prediction is the same for every row, which no finite score says;
// a tiny positive cost in its place makes it nearly always so.
LabelCost trainable_cost(LabelCost cost) {
  constexpr double least = 1e-3;
  double& a = cost.false_negative;
  double& b = cost.false_positive;
  const double size = std::max({std::abs(a), std::abs(b), least});
  const double sign = a < 0 && b < 0 ? -1.0 : 1.0;
  a = sign * std::max(sign * a, least * size);
  b = sign * std::max(sign * b, least * size);
  const double mean = 0.5 * (std::abs(a) + std::abs(b));
  return {a / mean, b / mean};
}

// z ≥ 0, and never for labels that are not trained.
DecisionRule at_zero(const Problem& problem) {
  DecisionRule rule;
  rule.thresholds.assign(problem.label_count(), std::numeric_limits<float>::infinity());
  for (const std::uint32_t j : problem.trainable) rule.thresholds[j] = 0.0F;
  return rule;
}

bool flipped(const LabelCost& cost) { return cost.false_negative < 0 && cost.false_positive < 0; }

std::vector<LambdaValue> measure(const Metric& metric, const LabelMatrix& predicted, const Truth& truth,
                                 const std::vector<double>& lambda) {
  const std::vector<Counts> counts = count_labels(predicted, truth);
  const auto rows = static_cast<double>(predicted.rows);
  std::vector<LambdaValue> out(lambda.size());
  if (by_label(metric)) {
    for (std::size_t j = 0; j < counts.size(); ++j) {
      const double value = ratio_value(metric.ratio(j), counts[j], 0.0);
      out[j] = {value, linearised_loss(metric.ratio(j), lambda[j], counts[j]) / rows};
    }
  } else {
    double linearised = 0;
    for (std::size_t j = 0; j < counts.size(); ++j) {
      const double weight = truth.label_weights.empty() ? 1.0 : static_cast<double>(truth.label_weights[j]);
      linearised += weight * linearised_loss(metric.ratio(j), lambda[0], counts[j]);
    }
    out[0] = {evaluate(metric, predicted, truth), linearised / rows};
  }
  return out;
}

// The range of λ per coordinate; where the ratio alone does not bound it, the data do.
std::vector<Range> ranges(const Metric& metric, const HeldOutRows& held_out) {
  const auto range_of = [](const CountRatio& ratio, const Counts& nothing_predicted) {
    const Range range = value_range(ratio);
    if (std::isfinite(range.low) && std::isfinite(range.high)) return range;
    return value_range(ratio, nothing_predicted.fn, nothing_predicted.tn);
  };
  const Truth truth = held_out.truth();
  LabelMatrix nothing;
  nothing.cols = truth.labels->cols;
  for (std::size_t i = 0; i < truth.labels->rows; ++i) nothing.push_row({});
  const std::vector<Counts> counts = count_labels(nothing, truth);
  if (!by_label(metric) && metric.ratios.size() == 1) {
    Counts all;
    for (const Counts& c : counts) all += c;
    return {range_of(metric.ratio(0), all)};
  }
  std::vector<Range> out;
  out.reserve(counts.size());
  for (std::size_t j = 0; j < counts.size(); ++j) out.push_back(range_of(metric.ratio(j), counts[j]));
  if (by_label(metric)) return out;
  // A ratio of sums lies between the labels' own ratios.
  for (const Range& range : out)
    out[0] = {std::min(out[0].low, range.low), std::max(out[0].high, range.high)};
  return {out[0]};
}

std::vector<double> start_values(const Metric& metric, const DenseMatrix& scores, const Truth& truth) {
  if (!by_label(metric)) return {best_global_threshold(metric, scores, truth).value};
  std::vector<double> out;
  for (const LabelThreshold& t : best_label_thresholds(metric, scores, truth)) out.push_back(t.value);
  return out;
}

}  // namespace

double lambda_fits(const LambdaOptions& options) {
  switch (options.search) {
    case LambdaSearch::none:
      return 0;
    case LambdaSearch::scan:
      return 1 / options.step;
    case LambdaSearch::bisect:
      return 10;
    default:
      return 3;
  }
}

LambdaFit fit_with_lambda(const MappedProblem& mapped, const Metric& metric, const LambdaOptions& options,
                          const ChosenLoss& plain) {
  const Problem& problem = *mapped.problem;
  const HeldOutRows held_out(problem);
  const Truth truth = held_out.truth();
  DenseMatrix buffer;
  FitSettings settings = plain.settings;
  const ColumnWeights* warm = &plain.weights;
  ColumnWeights last;
  const auto fit_at = [&](const std::vector<double>& lambda) {
    if (!lambda.empty()) settings.costs = label_costs(metric, problem.label_count(), lambda);
    for (LabelCost& cost : settings.costs) cost = trainable_cost(cost);
    FoldFit fit = fit_folds(mapped, settings, problem.hold_out.folds(), warm);
    last = fit.weights;
    warm = &last;
    return fit;
  };
  const EvaluateLambda evaluate_lambda = [&](const std::vector<double>& lambda) {
    const FoldFit fit = fit_at(lambda);
    const LabelMatrix predicted = decide(at_zero(problem), held_out.of(fit.scores, buffer));
    return measure(metric, predicted, truth, lambda);
  };

  LambdaFit out;
  constexpr double eps = 1e-3;    // interval of the bisection
  constexpr double eps_m = 1e-4;  // practical ε_m: the theoretical one would stop at the first step
  switch (options.search) {
    case LambdaSearch::none:
      break;  // the loss alone changes: τ or the coupling
    case LambdaSearch::fixed:
      out.lambda.lambda.assign(by_label(metric) ? problem.label_count() : 1, options.value);
      break;
    case LambdaSearch::dinkelbach:
      out.lambda = dinkelbach(evaluate_lambda, start_values(metric, held_out.of(plain.scores, buffer), truth),
                              1e-3, 4);
      break;
    case LambdaSearch::scan:
      out.lambda = lambda_scan(evaluate_lambda, ranges(metric, held_out), options.step);
      break;
    case LambdaSearch::bisect:
      out.lambda = surrogate_bisection(evaluate_lambda, ranges(metric, held_out), eps, eps_m);
      break;
  }
  FoldFit fit = fit_at(out.lambda.lambda);
  out.chosen = plain;
  out.chosen.settings = settings;
  out.chosen.scores = std::move(fit.scores);
  out.chosen.calibration = fit_calibration(held_out.of(out.chosen.scores, buffer), *truth.labels,
                                           truth.unknown, truth.row_weights);
  // Threshold 0 of the score itself is the cost-sensitive decision; flipped scores fall with the posterior,
  // so calibrating them to it would turn them back.
  if (!options.calibrate || std::any_of(settings.costs.begin(), settings.costs.end(), flipped)) {
    out.chosen.calibration.scale = 1;
    out.chosen.calibration.shift = 0;
  }
  apply_calibration(out.chosen.calibration, out.chosen.scores);
  out.chosen.weights = std::move(fit.weights);
  return out;
}

}  // namespace mmo
