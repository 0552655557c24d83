#include "deep/loss/lambda.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mmo/core/error.h"

namespace mmo::deep {
namespace {

constexpr double start_lambda = 0.5;
constexpr std::size_t per_label_sums = 4;  // TP, FP, FN, TN

std::vector<Counts> counts_of(std::span<const double> sums, std::size_t labels) {
  std::vector<Counts> out(labels);
  for (std::size_t j = 0; j < labels; ++j) {
    const double* at = sums.data() + j * per_label_sums;
    out[j] = {at[0], at[1], at[2], at[3]};
  }
  return out;
}

// Adds the sum of the rows' ratios and the number of rows that have one.
void add_row_ratios(const Metric& metric, const ScoredBatch& batch, std::vector<double>& sums) {
  for (std::size_t at = 0; at < batch.logits.size(); at += batch.labels) {
    double numerator = 0;
    double denominator = 0;
    for (std::size_t j = 0; j < batch.labels; ++j) {
      const float target = batch.targets[at + j];
      if (std::isnan(target)) continue;
      const bool positive = target > 0.5F;
      Counts cell;
      (batch.logits[at + j] >= 0 ? (positive ? cell.tp : cell.fp) : (positive ? cell.fn : cell.tn)) = 1;
      const CountRatio& ratio = metric.ratio(j);
      numerator += combine(ratio.numerator, cell);
      denominator += combine(ratio.denominator, cell);
    }
    if (denominator == 0) continue;
    sums[sums.size() - 2] += numerator / denominator;
    sums[sums.size() - 1] += 1;
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
  seen_.zero_division = std::numeric_limits<double>::quiet_NaN();
  if (settings.per_label && metric_.average == Average::samples)
    throw UsageError("a metric averaged over rows has no lambda per label; use a shared one");
  set_costs();
}

void LambdaTracker::set_costs() {
  costs_.resize(labels_);
  for (std::size_t j = 0; j < labels_; ++j)
    costs_[j] = label_cost(metric_.ratio(j), lambda_[lambda_.size() == 1 ? 0 : j]);
}

// 4 counts per label; then the sum of the rows' ratios and the number of rows that have one (samples
// averages).
std::vector<double> LambdaTracker::statistics(const ScoredBatch& batch) const {
  // Sums over rows of 0 / 1 values, exact in float32; loops without branches become SIMD code.
  std::vector<float> both(labels_, 0), predicted(labels_, 0), present(labels_, 0), known(labels_, 0);
  for (std::size_t at = 0; at < batch.logits.size(); at += labels_) {
    const float* z = batch.logits.data() + at;
    const float* y = batch.targets.data() + at;
    for (std::size_t j = 0; j < labels_; ++j) {
      const float is_known = y[j] == y[j] ? 1.0F : 0.0F;  // NaN differs from itself
      const float is_present = y[j] > 0.5F ? 1.0F : 0.0F;
      const float is_predicted = z[j] >= 0 ? is_known : 0.0F;
      both[j] += is_predicted * is_present;
      predicted[j] += is_predicted;
      present[j] += is_present;
      known[j] += is_known;
    }
  }
  std::vector<double> sums(labels_ * per_label_sums + 2, 0.0);
  for (std::size_t j = 0; j < labels_; ++j) {
    double* at = sums.data() + j * per_label_sums;
    at[0] = both[j];
    at[1] = predicted[j] - both[j];
    at[2] = present[j] - both[j];
    at[3] = known[j] - predicted[j] - present[j] + both[j];
  }
  if (metric_.average == Average::samples) add_row_ratios(metric_, batch, sums);
  return sums;
}

void LambdaTracker::update(std::span<const double> sums) {
  if (settings_.source == LambdaSource::validation) return;
  const std::vector<Counts> fresh = counts_of(sums, labels_);
  const double rows = sums[sums.size() - 1];
  const double row_mean = rows > 0 ? sums[sums.size() - 2] / rows : std::numeric_limits<double>::quiet_NaN();
  const bool by_row = metric_.average == Average::samples;
  if (settings_.source == LambdaSource::batch) {
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
      c = {m * c.tp + fresh[j].tp, m * c.fp + fresh[j].fp, m * c.fn + fresh[j].fn, m * c.tn + fresh[j].tn};
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
