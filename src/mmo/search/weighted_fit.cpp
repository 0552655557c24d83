#include "mmo/search/weighted_fit.h"

#include <algorithm>
#include <cmath>

#include "mmo/rule/empirical_thresholds.h"
#include "mmo/search/held_out_rows.h"

namespace mmo {
namespace {

bool per_label(const Metric& metric) {
  return metric.average == Average::macro || metric.average == Average::weighted;
}

// A flipped prediction is cheaper where a cost is negative; training then wants the tight non-negative form.
LabelCost trainable_cost(LabelCost cost) {
  cost.false_negative = std::max(cost.false_negative, 1e-3);
  cost.false_positive = std::max(cost.false_positive, 1e-3);
  // Only the ratio decides; a mean of 1 keeps L2 comparable over λ.
  const double mean = 0.5 * (cost.false_negative + cost.false_positive);
  return {cost.false_negative / mean, cost.false_positive / mean};
}

std::vector<LambdaValue> measure(const Metric& metric, const LabelMatrix& predicted, const Truth& truth,
                                 const std::vector<double>& lambda) {
  const std::vector<Counts> counts = count_labels(predicted, truth);
  const auto rows = static_cast<double>(predicted.rows);
  std::vector<LambdaValue> out(lambda.size());
  if (per_label(metric)) {
    for (std::size_t j = 0; j < counts.size(); ++j) {
      const double value = ratio_value(metric.ratio(j), counts[j], 0.0);
      out[j] = {value, linearised_loss(metric.ratio(j), lambda[j], counts[j]) / rows};
    }
  } else {
    double linearised = 0;
    for (std::size_t j = 0; j < counts.size(); ++j)
      linearised += linearised_loss(metric.ratio(j), lambda[0], counts[j]);
    out[0] = {evaluate(metric, predicted, truth), linearised / rows};
  }
  return out;
}

// The range of λ per coordinate; where the ratio alone does not bound it, the data do.
std::vector<Range> ranges(const Metric& metric, const Problem& problem) {
  const auto range_of = [&](std::size_t j, double positives, double cells) {
    const Range range = value_range(metric.ratio(j));
    if (std::isfinite(range.low) && std::isfinite(range.high)) return range;
    return value_range(metric.ratio(j), positives, cells - positives);
  };
  const auto rows = static_cast<double>(problem.rows());
  std::vector<Range> out;
  if (per_label(metric)) {
    for (std::size_t j = 0; j < problem.label_count(); ++j) {
      out.push_back(range_of(j, static_cast<double>(problem.rows_of_label.row(j).size()), rows));
    }
    return out;
  }
  Range widest = range_of(0, static_cast<double>(problem.labels->positives()),
                          rows * static_cast<double>(problem.label_count()));
  for (std::size_t j = 1; j < metric.ratios.size(); ++j) {
    const Range range = value_range(metric.ratio(j));
    widest = {std::min(widest.low, range.low), std::max(widest.high, range.high)};
  }
  return {widest};
}

std::vector<double> start_values(const Metric& metric, const DenseMatrix& scores, const Truth& truth) {
  if (!per_label(metric)) return {best_global_threshold(metric, scores, truth).value};
  std::vector<double> out;
  for (const LabelThreshold& t : best_label_thresholds(metric, scores, truth)) out.push_back(t.value);
  return out;
}

}  // namespace

WeightedFit fit_with_lambda(const MappedProblem& mapped, const Metric& metric, const Recipe& recipe,
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
    FoldFit fit = fit_folds(mapped, settings, warm);
    last = fit.weights;
    warm = &last;
    return fit;
  };
  const EvaluateLambda evaluate_lambda = [&](const std::vector<double>& lambda) {
    const FoldFit fit = fit_at(lambda);
    const LabelMatrix predicted = held_out.decide_at_zero(held_out.of(fit.scores, buffer));
    return measure(metric, predicted, truth, lambda);
  };

  WeightedFit out;
  constexpr double eps = 1e-3;    // interval of the bisection
  constexpr double eps_m = 1e-4;  // practical ε_m: the theoretical one would stop at the first step
  switch (recipe.lambda) {
    case LambdaSearch::none:
      break;  // the loss alone changes: τ or the coupling
    case LambdaSearch::fixed:
      out.lambda.lambda.assign(per_label(metric) ? problem.label_count() : 1, recipe.lambda_value);
      break;
    case LambdaSearch::dinkelbach:
      out.lambda = dinkelbach(evaluate_lambda, start_values(metric, held_out.of(plain.scores, buffer), truth),
                              1e-3, 4);
      break;
    case LambdaSearch::scan:
      out.lambda = lambda_scan(evaluate_lambda, ranges(metric, problem), recipe.lambda_step);
      break;
    case LambdaSearch::bisect:
      out.lambda = surrogate_bisection(evaluate_lambda, ranges(metric, problem), eps, eps_m);
      break;
  }
  FoldFit fit = fit_at(out.lambda.lambda);
  out.chosen = plain;
  out.chosen.settings = settings;
  out.chosen.scores = std::move(fit.scores);
  out.chosen.calibration = fit_calibration(held_out.of(out.chosen.scores, buffer), *truth.labels,
                                           truth.unknown, truth.row_weights);
  if (recipe.rule == RuleKind::zero) {  // threshold 0 of the score itself is the cost-sensitive decision
    out.chosen.calibration.scale = 1;
    out.chosen.calibration.shift = 0;
  }
  apply_calibration(out.chosen.calibration, out.chosen.scores);
  out.chosen.weights = std::move(fit.weights);
  return out;
}

}  // namespace mmo
