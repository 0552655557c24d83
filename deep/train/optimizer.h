// Adam (L2 in the gradient) and AdamW (decoupled weight decay), as torch.optim computes them.
#pragma once

#include <string>
#include <vector>

#include "deep/net/parameters.h"

namespace mmo::deep {

struct OptimizerSettings {
  bool decoupled = true;  // AdamW
  double weight_decay = 0.01;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

class Optimizer {
 public:
  // Trains every tensor of `p` that requires a gradient; biases and norms do not decay. Tensors whose name
  // starts with "head." use the head's rate.
  Optimizer(const Parameters& p, const OptimizerSettings& settings);

  void step(double rate, double head_rate);
  void clear_gradients();

  // First and second moments by name, and the number of steps: what a resumed run needs.
  struct Slot {
    std::string name;
    Tensor tensor, first, second;
  };
  [[nodiscard]] std::vector<Slot>& slots() { return slots_; }
  [[nodiscard]] std::size_t steps() const { return steps_; }
  void set_steps(std::size_t steps) { steps_ = steps; }

 private:
  struct Group {
    bool decay, head;
    std::vector<std::size_t> members;  // of slots_
  };
  OptimizerSettings settings_;
  std::vector<Slot> slots_;
  std::vector<Group> groups_;
  std::size_t steps_ = 0;
};

enum class Schedule { constant, linear, cosine };
[[nodiscard]] Schedule parse_schedule(const std::string& name);
// The factor of the learning rate at step t of `total`: rises linearly over the first `warmup` steps, then
// stays, or falls to 0 at `total` linearly or along half a cosine.
[[nodiscard]] double rate_factor(Schedule schedule, std::size_t t, std::size_t warmup, std::size_t total);

}  // namespace mmo::deep
