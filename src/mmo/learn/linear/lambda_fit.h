// Training with λ's costs: the logistic-type loss at a chosen L2, its costs set by a λ search over
// out-of-fold predictions at threshold 0.
#pragma once

#include "mmo/cost/lambda_search.h"
#include "mmo/learn/linear/l2_path.h"
#include "mmo/metric/metric.h"

namespace mmo {

struct LambdaOptions {
  LambdaSearch search = LambdaSearch::none;
  double value = 0.5;     // fixed
  double step = 0.02;     // scan
  bool calibrate = true;  // else scores stay raw: threshold 0 means 0
};

struct LambdaFit {
  ChosenLoss chosen;
  LambdaResult lambda;
};

// About how many fits of all folds that takes.
[[nodiscard]] double lambda_fits(const LambdaOptions& options);

// `plain` is the unweighted fit at the chosen L2; its out-of-fold scores give Dinkelbach's start.
[[nodiscard]] LambdaFit fit_with_lambda(const MappedProblem& mapped, const Metric& metric,
                                        const LambdaOptions& options, const ChosenLoss& plain);

}  // namespace mmo
