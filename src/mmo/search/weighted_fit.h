// Training with λ's costs: the logistic-type loss at a chosen L2, its costs set by a λ search over
// out-of-fold predictions at threshold 0.
#pragma once

#include "mmo/metric/metric.h"
#include "mmo/search/lambda_search.h"
#include "mmo/search/recipe.h"
#include "mmo/search/selection.h"

namespace mmo {

struct WeightedFit {
  ChosenLoss chosen;
  LambdaResult lambda;
};

// `plain` is the unweighted fit at the chosen L2; its out-of-fold scores give Dinkelbach's start.
[[nodiscard]] WeightedFit fit_with_lambda(const MappedProblem& mapped, const Metric& metric,
                                          const Recipe& recipe, const ChosenLoss& plain);

}  // namespace mmo
