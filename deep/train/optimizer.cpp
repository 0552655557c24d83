#include "deep/train/optimizer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mmo/core/error.h"

namespace mmo::deep {

Optimizer::Optimizer(const Parameters& p, const OptimizerSettings& settings) : settings_(settings) {
  groups_ = {{true, true, {}}, {true, false, {}}, {false, true, {}}, {false, false, {}}};
  for (const auto& [name, parameter] : p.all()) {
    if (!parameter.tensor.requires_grad()) continue;
    const bool decay = parameter.role == Role::weight;
    const bool head = name.starts_with("head.");
    for (Group& group : groups_) {
      if (group.decay == decay && group.head == head) group.members.push_back(slots_.size());
    }
    slots_.push_back(
        {name, parameter.tensor, at::zeros_like(parameter.tensor), at::zeros_like(parameter.tensor)});
  }
}

void Optimizer::step(double rate, double head_rate) {
  const c10::NoGradGuard no_gradient;
  ++steps_;
  const Tensor count = at::full({}, static_cast<double>(steps_), at::kFloat);
  for (const Group& group : groups_) {
    std::vector<Tensor> values;
    std::vector<Tensor> gradients;
    std::vector<Tensor> first;
    std::vector<Tensor> second;
    for (const std::size_t k : group.members) {
      Slot& slot = slots_[k];
      if (!slot.tensor.grad().defined()) continue;
      values.push_back(slot.tensor);
      gradients.push_back(slot.tensor.grad());
      first.push_back(slot.first);
      second.push_back(slot.second);
    }
    if (values.empty()) continue;
    const std::vector<Tensor> counts(values.size(), count);
    const double decay = group.decay ? settings_.weight_decay : 0;
    const auto update = [&](const auto& fused) {
      fused(values, gradients, first, second, at::TensorList{}, counts, group.head ? head_rate : rate,
            settings_.beta1, settings_.beta2, decay, settings_.epsilon, /*amsgrad=*/false,
            /*maximize=*/false);
    };
    if (settings_.decoupled) {
      update([](auto&&... arguments) { at::_fused_adamw_(arguments...); });
    } else {
      update([](auto&&... arguments) { at::_fused_adam_(arguments...); });
    }
  }
}

void Optimizer::clear_gradients() {
  for (Slot& slot : slots_) slot.tensor.mutable_grad().reset();
}

Schedule parse_schedule(const std::string& name) {
  if (name == "constant") return Schedule::constant;
  if (name == "linear") return Schedule::linear;
  if (name == "cosine") return Schedule::cosine;
  throw UsageError(fmt::format("unknown schedule '{}'; known: constant, linear, cosine", name));
}

double rate_factor(Schedule schedule, std::size_t t, std::size_t warmup, std::size_t total) {
  if (t < warmup) return static_cast<double>(t + 1) / static_cast<double>(warmup + 1);
  if (schedule == Schedule::constant || total <= warmup) return 1;
  const double share = std::min(1.0, static_cast<double>(t - warmup) / static_cast<double>(total - warmup));
  return schedule == Schedule::linear ? 1 - share : 0.5 * (1 + std::cos(std::numbers::pi * share));
}

}  // namespace mmo::deep
