// A linear model Z = X·W + 1·bᵀ of all labels at once, trained by mini-batch Adam on any loss of a batch's
// scores.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "mmo/core/matrix.h"
#include "mmo/solver/adam.h"

namespace mmo {

// Value of the loss of a batch, and ∂value/∂score in `slope` (both rows.size() × labels, row-major).
using BatchLoss = std::function<double(std::span<const std::uint32_t> rows, std::span<const float> scores,
                                       std::span<float> slope)>;
// Called with the weights so far ((d + 1) × labels, bias last).
using AfterStep = std::function<void(std::size_t step, const DenseMatrix& weights)>;

// `weights` ((d + 1) × labels, bias last) holds the start and receives the result.
AdamStatus fit_linear_adam(const Features& x, std::span<const std::uint32_t> rows, const BatchLoss& loss,
                           const AdamOptions& options, const AfterStep& report, DenseMatrix& weights);

}  // namespace mmo
