#include "mmo/learn/linear/ema_lambda.h"

#include <cmath>

#include "mmo/cost/counted_lambda.h"

namespace mmo {
namespace {

constexpr double gamma = 0.7;  // the paper's

}  // namespace

EmaLambda::EmaLambda(const Metric& metric, std::size_t labels) : metric_(metric), labels_(labels) {
  if (!by_label(metric)) {
    lambda_ = {start_lambda(metric.ratio(0))};
    return;
  }
  counts_.resize(labels);
  for (std::size_t j = 0; j < labels; ++j) lambda_.push_back(start_lambda(metric.ratio(j)));
}

void EmaLambda::update(const LabelMatrix& predicted, const Truth& truth) {
  if (!by_label(metric_)) {
    const double value = evaluate(metric_, predicted, truth);
    if (!std::isnan(value)) lambda_[0] = gamma * lambda_[0] + (1 - gamma) * value;
    return;
  }
  follow_counts(metric_, count_labels(predicted, truth), default_memory(true), counts_, lambda_);
}

}  // namespace mmo
