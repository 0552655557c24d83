// Linear models trained by mini-batch Adam: losses that need a whole batch (sigmoidF1, EMA λ) or that the
// batched solver has no curvature for (ASL). The number of steps is chosen on out-of-fold scores, so these
// baselines see the same folds and selection data as every other method.
#pragma once

#include <cstdint>
#include <vector>

#include "mmo/learn/linear/mapped_problem.h"
#include "mmo/metric/metric.h"

namespace mmo {

// Losses trained by mini-batch Adam instead of the batched solver.
enum class MiniBatch {
  none,
  ema,         // the surrogate at a λ that follows the batches' metric
  sigmoid_f1,  // Bénédict et al. 2022
  asl,         // Ridnik et al. 2021
};

struct StepPoint {
  std::size_t steps = 0;
  double value = 0;  // the criterion there
};

struct MiniBatchFit {
  DenseMatrix scores;   // n × l out-of-fold logits at the chosen number of steps
  DenseMatrix weights;  // (d + 1) × l, all training rows, bias last
  std::vector<StepPoint> path;
  std::size_t best = 0;        // index into path
  std::vector<double> lambda;  // EMA only: λ at the end of the full fit, one or one per label
};

// Adam with the paper's linear settings; the bias starts at the label's log-odds, everything else at 0.
[[nodiscard]] MiniBatchFit fit_minibatch(const MappedProblem& mapped, const Metric& metric, MiniBatch loss,
                                         std::uint64_t seed, const Criterion& criterion);

}  // namespace mmo
