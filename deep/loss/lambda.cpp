#include "deep/loss/lambda.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mmo/core/error.h"
#include "mmo/loss/batch_counts.h"
#include "mmo/loss/row_ratios.h"

namespace mmo::deep {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace

LambdaSettings default_lambda(bool per_label) {
  LambdaSettings out;
  out.per_label = per_label;
  out.counts = default_memory(per_label);
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
      lambda_(settings.per_label ? labels : 1),
      fresh_(labels),
      counts_(labels) {
  seen_.zero_division = undefined;
  if (settings.per_label && metric_.average == Average::samples)
    throw UsageError("a metric averaged over rows has no lambda per label; use a shared one");
  for (std::size_t k = 0; k < lambda_.size(); ++k) lambda_[k] = start_lambda(metric_.ratio(k));
  set_costs();
}

// Costs are linear in λ: if labels share their ratio, two λ give the costs at all of them.
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
  if (metric_.average != Average::samples) batch_counts(core_batch(batch), fresh_);
  if (settings_.source == LambdaSource::batch) {
    follow_batch(batch);
  } else if (metric_.average == Average::samples) {
    follow_rows(row_ratios(metric_, core_batch(batch), undefined), settings_.counts.decay, rows_, lambda_[0]);
  } else if (settings_.per_label) {
    follow_counts(metric_, fresh_, settings_.counts, counts_, lambda_);
  } else {
    fade_in(fresh_, settings_.counts.decay, counts_);
    share(evaluate_counts(seen_, counts_));
  }
  set_costs();
}

void LambdaTracker::share(double value) {
  if (!std::isnan(value)) lambda_[0] = value;
}

// The metric of the batch as in the paper, with the paper's value of 0/0.
void LambdaTracker::follow_batch(const ScoredBatch& batch) {
  const auto average = [&](double& lambda, double value) {
    if (!std::isnan(value)) lambda = settings_.gamma * lambda + (1 - settings_.gamma) * value;
  };
  if (metric_.average == Average::samples) {
    const RowRatios rows = row_ratios(metric_, core_batch(batch), metric_.zero_division);
    average(lambda_[0], rows.rows > 0 ? rows.sum / rows.rows : undefined);
  } else if (!settings_.per_label) {
    average(lambda_[0], evaluate_counts(metric_, fresh_));
  } else {
    for (std::size_t j = 0; j < labels_; ++j)
      average(lambda_[j], ratio_value(metric_.ratio(j), fresh_[j], metric_.zero_division));
  }
}

void LambdaTracker::validate(const LabelMatrix& predicted, const Truth& truth) {
  if (settings_.source != LambdaSource::validation) return;
  if (settings_.per_label) {
    std::fill(counts_.begin(), counts_.end(), Counts{});
    follow_counts(metric_, count_labels(predicted, truth), settings_.counts, counts_, lambda_);
  } else {
    share(evaluate(seen_, predicted, truth));
  }
  set_costs();
}

std::vector<double> LambdaTracker::state() const {
  std::vector<double> out = lambda_;
  for (const Counts& c : counts_) out.insert(out.end(), {c.tp, c.fp, c.fn, c.tn});
  out.insert(out.end(), {rows_.sum, rows_.rows});
  return out;
}

void LambdaTracker::restore(std::span<const double> state) {
  const std::size_t expected = lambda_.size() + 4 * counts_.size() + 2;
  if (state.size() != expected) {
    throw ModelError(
        fmt::format("the checkpoint holds {} values for lambda, but this version keeps {}; "
                    "remove it and train again",
                    state.size(), expected));
  }
  std::copy_n(state.begin(), lambda_.size(), lambda_.begin());
  const double* at = state.data() + lambda_.size();
  for (Counts& c : counts_) {
    c = {at[0], at[1], at[2], at[3]};
    at += 4;
  }
  rows_ = {.sum = at[0], .rows = at[1]};
  set_costs();
}

}  // namespace mmo::deep
