#include "mmo/report/cross_tuned.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mmo/core/parallel.h"
#include "mmo/eval/truth_rows.h"
#include "mmo/report/significance.h"
#include "mmo/rule/decision_rule.h"
#include "mmo/rule/empirical_thresholds.h"

namespace mmo {
namespace {

// For each fold left out, thresholds[label].
struct FoldThresholds {
  std::vector<DecisionRule> global, per_label;
};

FoldThresholds tune(const Metric& metric, const DenseMatrix& scores, const Truth& truth,
                    std::span<const std::uint32_t> fold_of_row, std::uint32_t folds) {
  FoldThresholds tuned{std::vector<DecisionRule>(folds), std::vector<DecisionRule>(folds)};
  for (std::uint32_t fold = 0; fold < folds; ++fold) {
    throw_if_cancelled();
    std::vector<std::uint32_t> others;
    for (std::uint32_t i = 0; i < scores.rows; ++i) {
      if (fold_of_row[i] != fold) others.push_back(i);
    }
    const DenseMatrix part = take_rows(scores, others);
    const TruthRows known(truth, others);
    tuned.global[fold].thresholds.assign(scores.cols,
                                         best_global_threshold(metric, part, known.truth()).threshold);
    for (const LabelThreshold& own : best_label_thresholds(metric, part, known.truth()))
      tuned.per_label[fold].thresholds.push_back(own.threshold);
  }
  return tuned;
}

LabelMatrix decide_by_fold(const std::vector<DecisionRule>& rules, const DenseMatrix& scores,
                           std::span<const std::uint32_t> fold_of_row) {
  LabelMatrix decided;
  decided.cols = scores.cols;
  std::vector<std::uint32_t> labels;
  for (std::size_t i = 0; i < scores.rows; ++i) {
    decide_row(rules[fold_of_row[i]], scores.row(i), labels);
    decided.push_row(labels);
  }
  return decided;
}

double spread_of(const std::vector<DecisionRule>& rules, std::size_t label) {
  std::vector<double> thresholds;
  for (const DecisionRule& rule : rules) {
    if (!std::isfinite(rule.thresholds[label])) return std::numeric_limits<double>::quiet_NaN();
    thresholds.push_back(rule.thresholds[label]);
  }
  return standard_deviation(thresholds);
}

}  // namespace

CrossTuned cross_tuned(const Metric& metric, const DenseMatrix& scores, const Truth& truth,
                       std::span<const std::uint32_t> fold_of_row) {
  const std::uint32_t folds = *std::max_element(fold_of_row.begin(), fold_of_row.end()) + 1;
  const FoldThresholds tuned = tune(metric, scores, truth, fold_of_row, folds);
  CrossTuned result{decide_by_fold(tuned.global, scores, fold_of_row),
                    decide_by_fold(tuned.per_label, scores, fold_of_row), std::vector<double>(scores.cols)};
  for (std::size_t j = 0; j < scores.cols; ++j) result.spread[j] = spread_of(tuned.per_label, j);
  return result;
}

}  // namespace mmo
