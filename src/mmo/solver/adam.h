// Mini-batch Adam (Kingma & Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015) for any function
// that is a mean over rows: the paper's linear experiments, and losses that need whole batches. Serial: the
// outcome depends only on the seed; callers run several fits in parallel.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mmo/core/parallel.h"
#include "mmo/core/random.h"

namespace mmo {

struct AdamOptions {
  double learning_rate = 1e-3;  // the paper's linear settings (app:linear-benchmarks)
  std::size_t batch = 128;
  double weight_decay = 1e-5;  // added to the gradient of the weights, not of the biases
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  std::size_t steps = 1000;
  std::uint64_t seed = 0;              // order of the rows
  std::vector<std::size_t> report_at;  // steps after which `report` is called, ascending
};

struct AdamStatus {
  std::size_t steps = 0;
  double value = 0;  // of the last batch, before its step
};

// A batch's value and its gradient by all parameters; the last `biases()` of them have no weight decay.
template <class F>
concept BatchFunction = requires(F& f, std::span<const std::uint32_t> rows, const std::vector<float>& at,
                                 std::vector<float>& gradient) {
  { f.gradient(rows, at, gradient) } -> std::convertible_to<double>;
  { f.biases() } -> std::convertible_to<std::size_t>;
};

// m ← β₁m + (1 − β₁)g, v ← β₂v + (1 − β₂)g², w ← w − η·(m/(1 − β₁ᵗ)) / (√(v/(1 − β₂ᵗ)) + ε)
class AdamState {
 public:
  AdamState(std::size_t size, const AdamOptions& options);
  // The last `biases` entries have no weight decay.
  void step(const std::vector<float>& gradient, std::size_t biases, std::vector<float>& weights);

 private:
  AdamOptions options_;
  std::vector<float> first_, second_;
  double power1_ = 1, power2_ = 1;
};

// The rows of each batch in turn: all of them, reshuffled for every pass.
class Batches {
 public:
  Batches(std::span<const std::uint32_t> rows, std::size_t size, std::uint64_t seed);
  [[nodiscard]] std::span<const std::uint32_t> next();

 private:
  std::vector<std::uint32_t> order_;
  std::size_t size_, next_;
  Random random_;
};

// `weights` holds the start and receives the result; `report(step, weights)` sees them along the way.
template <BatchFunction F>
AdamStatus minimise_adam(F& function, std::span<const std::uint32_t> rows, const AdamOptions& options,
                         const std::function<void(std::size_t, const std::vector<float>&)>& report,
                         std::vector<float>& weights) {
  Batches batches(rows, options.batch, options.seed);
  AdamState state(weights.size(), options);
  std::vector<float> gradient(weights.size());
  AdamStatus status;
  for (status.steps = 1; status.steps <= options.steps; ++status.steps) {
    throw_if_cancelled();
    status.value = function.gradient(batches.next(), weights, gradient);
    state.step(gradient, function.biases(), weights);
    if (std::binary_search(options.report_at.begin(), options.report_at.end(), status.steps))
      report(status.steps, weights);
  }
  status.steps = options.steps;
  return status;
}

}  // namespace mmo
