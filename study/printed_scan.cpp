#include "study/printed_scan.h"

#include "mmo/cost/cost.h"
#include "mmo/eval/evaluate.h"

namespace mmo::study {
namespace {

Truth truth_of(const Part& part) {
  Truth truth;
  truth.labels = &part.y;
  return truth;
}

}  // namespace

PrintedFit judge(DenseMatrix weights, const Partition& data) {
  PrintedFit fit;
  fit.valid_predicted = predict_at_zero(score(data.valid.x, weights));
  fit.test_predicted = predict_at_zero(score(data.test.x, weights));
  fit.valid = count_labels(fit.valid_predicted, truth_of(data.valid));
  fit.test = count_labels(fit.test_predicted, truth_of(data.test));
  fit.weights = std::move(weights);
  return fit;
}

const PrintedFit& PrintedFits::at(double lambda) {
  const auto found = fits_.find(lambda);
  if (found != fits_.end()) return found->second;
  const SurrogateLoss loss{.costs = std::vector<LabelCost>(data_.train.y.cols, label_cost(ratio_, lambda)),
                           .joint = joint_};
  return fits_.emplace(lambda, judge(fit_adam(data_.train, loss, epochs_, seed_), data_)).first->second;
}

EvaluateLambda PrintedFits::evaluate(const Metric& metric) {
  return [this, metric](const std::vector<double>& lambda) {
    const auto rows = static_cast<double>(data_.valid.y.rows);
    std::vector<LambdaValue> values;
    for (std::size_t k = 0; k < lambda.size(); ++k) {
      const PrintedFit& fit = at(lambda[k]);
      LambdaValue value;
      if (by_label(metric)) {
        value.metric = ratio_value(ratio_, fit.valid[k], metric.zero_division);
        value.linearised = linearised_loss(ratio_, lambda[k], fit.valid[k]) / rows;
      } else {
        value.metric = mmo::evaluate(metric, fit.valid_predicted, truth_of(data_.valid));
        for (const Counts& c : fit.valid) value.linearised += linearised_loss(ratio_, lambda[k], c) / rows;
      }
      values.push_back(value);
    }
    return values;
  };
}

double PrintedFits::test_value(const Metric& metric, const std::vector<double>& lambda) {
  if (!by_label(metric)) return mmo::evaluate(metric, at(lambda[0]).test_predicted, truth_of(data_.test));
  std::vector<Counts> counts;
  for (std::size_t j = 0; j < lambda.size(); ++j) counts.push_back(at(lambda[j]).test[j]);
  return evaluate_counts(metric, counts);
}

}  // namespace mmo::study
