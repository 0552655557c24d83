// The paper's guarantee from numbers of your own, without data: how many rows until it says something?
#include <fmt/core.h>

#include <vector>

#include "mmo/cost/bounds.h"

int main() {
  mmo::BoundSetting setting;
  setting.labels = 1;              // macro metrics: one label at a time
  setting.weight_norm = 1;         // W: ‖w‖ ≤ 1
  setting.input_norm = 1;          // X: ‖x‖ ≤ 1
  setting.largest_beta = 1;        // F1: β = (0, ½, ½, 1)
  setting.highest_beta_sum = 1.3;  // sup E[ℓ_β] = P(y) + 1 with 30 % positives
  setting.delta = 0.05;
  const double lowest_beta_sum = 0.3;  // inf E[ℓ_β] = P(y)
  const std::vector<mmo::LabelCost> costs{mmo::label_cost(mmo::parse_metric("f1").ratio(0), 0.6)};
  fmt::print("{:>12}  {:>8}  {:>8}\n", "rows", "ε_m", "gap");
  for (const std::size_t rows : {1000U, 1000000U, 1000000000U}) {
    setting.examples = rows;
    const double epsilon = mmo::epsilon_independent(setting, costs);
    fmt::print("{:>12}  {:>8.3f}  {:>8.3f}\n", rows, epsilon, mmo::scan_gap(epsilon, lowest_beta_sum));
  }
}
