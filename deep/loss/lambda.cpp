#include "deep/loss/lambda.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mmo/core/error.h"
#include "mmo/loss/batch_counts.h"

namespace mmo::deep {
namespace {

constexpr double start_lambda = 0.5;
constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

// Of one row, where labels have ratios of their own.
double row_value(const Metric& metric, std::span<const float> logits, std::span<const float> targets) {
  double numerator = 0;
  double denominator = 0;
  for (std::size_t j = 0; j < logits.size(); ++j) {
    if (std::isnan(targets[j])) continue;
    const bool positive = targets[j] > 0.5F;
    Counts cell;
    (logits[j] >= 0 ? (positive ? cell.tp : cell.fp) : (positive ? cell.fn : cell.tn)) = 1;
    numerator += combine(metric.ratio(j).numerator, cell);
    denominator += combine(metric.ratio(j).denominator, cell);
  }
  return denominator == 0 ? undefined : numerator / denominator;
}

// The sum of the rows' ratios and the number of rows that have one.
void add_row_ratios(const Metric& metric, const ScoredBatch& batch, double& sum, double& defined) {
  std::vector<Counts> rows(batch.logits.size() / batch.labels);
  const bool one_ratio = metric.ratios.size() == 1;
  if (one_ratio) row_counts(core_batch(batch), rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t at = i * batch.labels;
    const double value = one_ratio ? ratio_value(metric.ratios.front(), rows[i], undefined)
                                   : row_value(metric, batch.logits.subspan(at, batch.labels),
                                               batch.targets.subspan(at, batch.labels));
    if (std::isnan(value)) continue;
    sum += value;
    defined += 1;
  }
}

}  // namespace

LambdaSettings default_lambda(bool per_label) {
  LambdaSettings out;
  out.per_label = per_label;
  out.shrinkage = per_label ? 0.03 : 0;
  return out;
}

LambdaSource parse_lambda_source(const std::string& name) {
  if (name == "batch") return LambdaSource::batch;
  if (name == "counts") return LambdaSource::counts;
  if (name == "validation") return LambdaSource::validation;
  throw UsageError(fmt::format("unknown source of lambda '{}'; known: batch, counts, validation", name));
}

std::string lambda_source_name(LambdaSource source) {
  return source == LambdaSource::batch ? "batch" : source == LambdaSource::counts ? "counts" : "validation";
}

LambdaTracker::LambdaTracker(Metric metric, std::size_t labels, const LambdaSettings& settings)
    : metric_(std::move(metric)),
      seen_(metric_),
      labels_(labels),
      settings_(settings),
      lambda_(settings.per_label ? labels : 1, start_lambda),
      fresh_(labels),
      counts_(labels) {
  seen_.zero_division = undefined;
  if (settings.per_label && metric_.average == Average::samples)
    throw UsageError("a metric averaged over rows has no lambda per label; use a shared one");
  set_costs();
}

// Costs are linear in λ: where labels share their ratio, two of them give all.
void LambdaTracker::set_costs() {
  costs_.resize(labels_);
  const bool one_ratio = metric_.ratios.size() == 1;
  const LabelCost at_0 = label_cost(metric_.ratio(0), 0);
  const LabelCost at_1 = label_cost(metric_.ratio(0), 1);
  for (std::size_t j = 0; j < labels_; ++j) {
    const double lambda = lambda_[lambda_.size() == 1 ? 0 : j];
    costs_[j] = one_ratio
                    ? LabelCost{at_0.false_negative + lambda * (at_1.false_negative - at_0.false_negative),
                                at_0.false_positive + lambda * (at_1.false_positive - at_0.false_positive)}
                    : label_cost(metric_.ratio(j), lambda);
  }
}

void LambdaTracker::update(const ScoredBatch& batch) {
  if (settings_.source == LambdaSource::validation) return;
  if (metric_.average == Average::samples) {
    follow_rows(batch);
  } else {
    batch_counts(core_batch(batch), fresh_);
    if (settings_.source == LambdaSource::batch) {
      follow_batch();
    } else {
      for (std::size_t j = 0; j < labels_; ++j) {
        Counts& c = counts_[j];
        const double m = settings_.memory;
        const Counts& f = fresh_[j];
        c = {m * c.tp + f.tp, m * c.fp + f.fp, m * c.fn + f.fn, m * c.tn + f.tn};
      }
      set_from_counts();
    }
  }
  set_costs();
}

void LambdaTracker::follow_rows(const ScoredBatch& batch) {
  double sum = 0;
  double rows = 0;
  add_row_ratios(metric_, batch, sum, rows);
  if (rows == 0) return;
  if (settings_.source == LambdaSource::batch) {
    lambda_[0] = settings_.gamma * lambda_[0] + (1 - settings_.gamma) * sum / rows;
    return;
  }
  // Decayed sums of the rows' ratios, kept where the first label's counts would be.
  Counts& c = counts_[0];
  c.tp = settings_.memory * c.tp + sum;
  c.fp = settings_.memory * c.fp + rows;
  lambda_[0] = c.tp / c.fp;
}

void LambdaTracker::follow_batch() {
  for (std::size_t k = 0; k < lambda_.size(); ++k) {
    // A label's own 0/0 is 0, as in the paper; the shared value leaves it out.
    const double value =
        settings_.per_label ? ratio_value(metric_.ratio(k), fresh_[k], 0) : evaluate_counts(seen_, fresh_);
    if (!std::isnan(value)) lambda_[k] = settings_.gamma * lambda_[k] + (1 - settings_.gamma) * value;
  }
}

void LambdaTracker::set_from_counts() {
  if (!settings_.per_label) {
    const double value = evaluate_counts(seen_, counts_);
    if (!std::isnan(value)) lambda_[0] = value;
    return;
  }
  for (std::size_t j = 0; j < labels_; ++j) {
    const CountRatio& ratio = metric_.ratio(j);
    const Counts& c = counts_[j];
    const double denominator =
        combine(ratio.denominator, c) + settings_.shrinkage * (c.tp + c.fp + c.fn + c.tn);
    if (denominator > 0) lambda_[j] = combine(ratio.numerator, c) / denominator;
  }
}

void LambdaTracker::validate(const LabelMatrix& predicted, const Truth& truth) {
  if (settings_.source != LambdaSource::validation) return;
  if (metric_.average == Average::samples) {
    const double value = evaluate(seen_, predicted, truth);
    if (!std::isnan(value)) lambda_[0] = value;
  } else {
    counts_ = count_labels(predicted, truth);
    set_from_counts();
  }
  set_costs();
}

std::vector<double> LambdaTracker::state() const {
  std::vector<double> out = lambda_;
  for (const Counts& c : counts_) out.insert(out.end(), {c.tp, c.fp, c.fn, c.tn});
  return out;
}

void LambdaTracker::restore(std::span<const double> state) {
  std::copy_n(state.begin(), lambda_.size(), lambda_.begin());
  const double* at = state.data() + lambda_.size();
  for (Counts& c : counts_) {
    c = {at[0], at[1], at[2], at[3]};
    at += 4;
  }
  set_costs();
}

}  // namespace mmo::deep
