#include "mmo/solver/adam.h"

#include <algorithm>
#include <cmath>

#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/core/simd.h"
#include "mmo/objective/products.h"

namespace mmo {
namespace {

std::size_t padded(std::size_t columns) { return (columns + lanes - 1) / lanes * lanes; }

void copy_columns(const float* from, std::size_t from_stride, std::size_t rows, std::size_t columns,
                  std::size_t to_stride, float* to) {
  for (std::size_t k = 0; k < rows; ++k) std::copy_n(from + k * from_stride, columns, to + k * to_stride);
}

// m ← β₁m + (1 − β₁)g, v ← β₂v + (1 − β₂)g², w ← w − η·(m/(1 − β₁ᵗ)) / (√(v/(1 − β₂ᵗ)) + ε)
class AdamState {
 public:
  AdamState(std::size_t size, const AdamOptions& options) : options_(options), first_(size), second_(size) {}

  // The last `bias` entries have no weight decay.
  void step(const std::vector<float>& gradient, std::size_t bias, std::vector<float>& weights) {
    power1_ *= options_.beta1;
    power2_ *= options_.beta2;
    const auto rate = static_cast<float>(options_.learning_rate / (1 - power1_));
    const auto scale = static_cast<float>(1 / std::sqrt(1 - power2_));
    const auto epsilon = static_cast<float>(options_.epsilon);
    const auto b1 = static_cast<float>(options_.beta1);
    const auto b2 = static_cast<float>(options_.beta2);
    for (std::size_t e = 0; e < weights.size(); ++e) {
      const float decay =
          e < weights.size() - bias ? static_cast<float>(options_.weight_decay) * weights[e] : 0.0F;
      const float g = gradient[e] + decay;
      first_[e] = b1 * first_[e] + (1 - b1) * g;
      second_[e] = b2 * second_[e] + (1 - b2) * g * g;
      weights[e] -= rate * first_[e] / (std::sqrt(second_[e]) * scale + epsilon);
    }
  }

 private:
  AdamOptions options_;
  std::vector<float> first_, second_;
  double power1_ = 1, power2_ = 1;
};

}  // namespace

void minimise_adam(const Features& x, std::span<const std::uint32_t> rows, const BatchLoss& loss,
                   const AdamOptions& options, const AfterStep& report, DenseMatrix& weights) {
  const std::size_t labels = weights.cols;
  const std::size_t stride = padded(labels);
  const std::size_t batch = std::min(options.batch, rows.size());
  std::vector<float> w(weights.rows * stride);
  copy_columns(weights.values.data(), labels, weights.rows, labels, stride, w.data());
  std::vector<float> z(batch * stride), r(batch * stride), g(w.size());
  std::vector<float> scores(batch * labels), slope(batch * labels);
  std::vector<std::uint32_t> order(rows.begin(), rows.end());
  Random random(options.seed);
  AdamState state(w.size(), options);
  std::size_t next = order.size();
  for (std::size_t step = 1; step <= options.steps; ++step) {
    throw_if_cancelled();
    if (next >= order.size()) {
      random.shuffle(order);
      next = 0;
    }
    const std::span<const std::uint32_t> chosen(order.data() + next, std::min(batch, order.size() - next));
    next += chosen.size();
    const Features part = take_rows(x, chosen);
    std::visit([&](const auto& m) { forward(m, w.data(), stride, z.data()); }, part);
    copy_columns(z.data(), stride, chosen.size(), labels, labels, scores.data());
    loss(chosen, {scores.data(), chosen.size() * labels}, {slope.data(), chosen.size() * labels});
    copy_columns(slope.data(), labels, chosen.size(), labels, stride, r.data());
    std::visit([&](const auto& m) { backward(m, r.data(), stride, g.data()); }, part);
    state.step(g, stride, w);
    if (!std::binary_search(options.report_at.begin(), options.report_at.end(), step)) continue;
    copy_columns(w.data(), stride, weights.rows, labels, labels, weights.values.data());
    report(step, weights);
  }
  copy_columns(w.data(), stride, weights.rows, labels, labels, weights.values.data());
}

}  // namespace mmo
