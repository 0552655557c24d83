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
constexpr std::size_t per_label_sums = 4;  // TP, FP, FN, TN

std::vector<Counts> counts_of(std::span<const double> sums, std::size_t labels) {
  std::vector<Counts> out(labels);
  for (std::size_t j = 0; j < labels; ++j) {
    const double* at = sums.data() + j * per_label_sums;
    out[j] = {at[0], at[1], at[2], at[3]};
  }
  return out;
}

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
      counts_(labels) {
  seen_.zero_division = undefined;
  if (settings.per_label && metric_.average == Average::samples)
    throw UsageError("a metric averaged over rows has no lambda per label; use a shared one");
  set_costs();
}

void LambdaTracker::set_costs() {
  costs_.resize(labels_);
  if (lambda_.size() == 1 && metric_.ratios.size() == 1) {
    std::fill(costs_.begin(), costs_.end(), label_cost(metric_.ratios[0], lambda_[0]));
    return;
  }
  for (std::size_t j = 0; j < labels_; ++j)
    costs_[j] = label_cost(metric_.ratio(j), lambda_[lambda_.size() == 1 ? 0 : j]);
}

// 4 counts per label; or, for averages over rows, at the end the sum of the rows' ratios and the number of
// rows that have one.
std::vector<double> LambdaTracker::statistics(const ScoredBatch& batch) const {
  std::vector<double> sums(labels_ * per_label_sums + 2, 0.0);
  if (metric_.average == Average::samples) {
    add_row_ratios(metric_, batch, sums[sums.size() - 2], sums[sums.size() - 1]);
    return sums;
  }
  std::vector<Counts> counts(labels_);
  batch_counts(core_batch(batch), counts);
  for (std::size_t j = 0; j < labels_; ++j) {
    double* at = sums.data() + j * per_label_sums;
    at[0] = counts[j].tp;
    at[1] = counts[j].fp;
    at[2] = counts[j].fn;
    at[3] = counts[j].tn;
  }
  return sums;
}

void LambdaTracker::update(std::span<const double> sums) {
  if (settings_.source == LambdaSource::validation) return;
  const double rows = sums[sums.size() - 1];
  const double row_mean = rows > 0 ? sums[sums.size() - 2] / rows : undefined;
  const bool by_row = metric_.average == Average::samples;
  if (settings_.source == LambdaSource::batch) {
    const std::vector<Counts> fresh = counts_of(sums, labels_);
    for (std::size_t k = 0; k < lambda_.size(); ++k) {
      // A label's own 0/0 is 0, as in the paper; the shared value leaves it out.
      const double value = settings_.per_label ? ratio_value(metric_.ratio(k), fresh[k], 0)
                           : by_row            ? row_mean
                                               : evaluate_counts(seen_, fresh);
      if (!std::isnan(value)) lambda_[k] = settings_.gamma * lambda_[k] + (1 - settings_.gamma) * value;
    }
  } else if (by_row) {
    // Decayed sums of the rows' ratios, kept where the first label's counts would be.
    if (rows > 0) {
      Counts& c = counts_[0];
      c.tp = settings_.memory * c.tp + sums[sums.size() - 2];
      c.fp = settings_.memory * c.fp + rows;
      lambda_[0] = c.tp / c.fp;
    }
  } else {
    for (std::size_t j = 0; j < labels_; ++j) {
      Counts& c = counts_[j];
      const double m = settings_.memory;
      const double* fresh = sums.data() + j * per_label_sums;
      c = {m * c.tp + fresh[0], m * c.fp + fresh[1], m * c.fn + fresh[2], m * c.tn + fresh[3]};
    }
    set_from_counts();
  }
  set_costs();
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
  counts_ = counts_of(state.subspan(lambda_.size()), labels_);
  set_costs();
}

}  // namespace mmo::deep
