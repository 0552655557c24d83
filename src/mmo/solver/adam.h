// Mini-batch Adam (Kingma & Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015) for a linear model
// Z = X·W + 1·bᵀ of all labels at once: the paper's linear experiments, and losses that need whole batches.
// Serial: a fit depends on its seed alone; callers run several fits in parallel.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

struct AdamOptions {
  double learning_rate = 1e-3;  // the paper's linear settings (app:linear-benchmarks)
  std::size_t batch = 128;
  double weight_decay = 1e-5;  // added to the gradient of the weights, not of the bias
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  std::size_t steps = 1000;
  std::uint64_t seed = 0;              // order of the rows
  std::vector<std::size_t> report_at;  // steps after which `report` is called, ascending
};

// Value of the loss of a batch, and ∂value/∂score in `slope` (both rows.size() × labels, row-major).
using BatchLoss = std::function<double(std::span<const std::uint32_t> rows, std::span<const float> scores,
                                       std::span<float> slope)>;
// Called with the weights so far ((d + 1) × labels, bias last).
using AfterStep = std::function<void(std::size_t step, const DenseMatrix& weights)>;

// Trains on the given rows, shuffled anew for every pass. `weights` ((d + 1) × labels, bias last) holds the
// start and receives the result.
void minimise_adam(const Features& x, std::span<const std::uint32_t> rows, const BatchLoss& loss,
                   const AdamOptions& options, const AfterStep& report, DenseMatrix& weights);

}  // namespace mmo
