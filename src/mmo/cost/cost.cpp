#include "mmo/cost/cost.h"

#include <cassert>

namespace mmo {

// With cost(kind) = λ·β(kind) − α(kind): a = cost(FN) − cost(TP), b = cost(FP) − cost(TN).
LabelCost label_cost(const CountRatio& ratio, double lambda) {
  const CountWeights& alpha = ratio.numerator;
  const CountWeights& beta = ratio.denominator;
  return {.false_negative = lambda * (beta.fn - beta.tp) - (alpha.fn - alpha.tp),
          .false_positive = lambda * (beta.fp - beta.tn) - (alpha.fp - alpha.tn)};
}

std::vector<LabelCost> label_costs(const Metric& metric, std::size_t labels,
                                   const std::vector<double>& lambda) {
  require_labels(metric, labels);
  assert(lambda.size() == 1 || lambda.size() == labels);
  std::vector<LabelCost> costs(labels);
  for (std::size_t j = 0; j < labels; ++j) {
    costs[j] = label_cost(metric.ratio(j), lambda.size() == 1 ? lambda[0] : lambda[j]);
  }
  return costs;
}

double linearised_loss(const CountRatio& ratio, double lambda, const Counts& counts) {
  return lambda * combine(ratio.denominator, counts) - combine(ratio.numerator, counts);
}

}  // namespace mmo
