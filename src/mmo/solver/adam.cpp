#include "mmo/solver/adam.h"

namespace mmo {

AdamState::AdamState(std::size_t size, const AdamOptions& options)
    : options_(options), first_(size), second_(size) {}

void AdamState::step(const std::vector<float>& gradient, std::size_t biases, std::vector<float>& weights) {
  power1_ *= options_.beta1;
  power2_ *= options_.beta2;
  const auto rate = static_cast<float>(options_.learning_rate / (1 - power1_));
  const auto scale = static_cast<float>(1 / std::sqrt(1 - power2_));
  const auto epsilon = static_cast<float>(options_.epsilon);
  const auto b1 = static_cast<float>(options_.beta1);
  const auto b2 = static_cast<float>(options_.beta2);
  for (std::size_t e = 0; e < weights.size(); ++e) {
    const float decay =
        e < weights.size() - biases ? static_cast<float>(options_.weight_decay) * weights[e] : 0.0F;
    const float g = gradient[e] + decay;
    first_[e] = b1 * first_[e] + (1 - b1) * g;
    second_[e] = b2 * second_[e] + (1 - b2) * g * g;
    weights[e] -= rate * first_[e] / (std::sqrt(second_[e]) * scale + epsilon);
  }
}

Batches::Batches(std::span<const std::uint32_t> rows, std::size_t size, std::uint64_t seed)
    : order_(rows.begin(), rows.end()),
      size_(std::min(size, rows.size())),
      next_(rows.size()),
      random_(seed) {}

std::span<const std::uint32_t> Batches::next() {
  if (next_ >= order_.size()) {
    random_.shuffle(order_);
    next_ = 0;
  }
  const std::span<const std::uint32_t> chosen(order_.data() + next_, std::min(size_, order_.size() - next_));
  next_ += chosen.size();
  return chosen;
}

}  // namespace mmo
