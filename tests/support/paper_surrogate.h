// eq:sur as the paper writes it, with its own shift of the costs.
#pragma once

#include <cassert>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "mmo/cost/bounds.h"
#include "mmo/loss/surrogate.h"

namespace mmo {

// The paper's shift, c_j(y′) = L_sum/l − L̄_j(y′, y_j), L_sum = Σ_{y,y′} L̄ ≈ 4^l (app:factorization): costs
// drown in it, so it is kept for few labels and for comparison only.
inline std::vector<CellCost> paper_cells(std::span<const std::uint8_t> present,
                                         std::span<const LabelCost> costs) {
  assert(costs.size() <= 12);
  const double shift = std::exp(log_cost_sum(costs)) / static_cast<double>(costs.size());
  std::vector<CellCost> cells = tight_cells(present, costs);
  // L̄_j(y′) is the cost of predicting y′: what the tight cell pays for the other prediction.
  for (CellCost& cell : cells) cell = {.plus = shift - cell.minus, .minus = shift - cell.plus};
  return cells;
}

// The paper's sum without normalisation (erratum 2).
inline double surrogate_paper_exact(std::span<const double> scores, std::span<const std::uint8_t> present,
                                    std::span<const LabelCost> costs, double tau) {
  const std::vector<CellCost> cells = paper_cells(present, costs);
  const double scale = std::ldexp(1.0, static_cast<int>(costs.size()) - 1);
  return scale * (tau == 0 ? surrogate_joint(scores, cells) : surrogate_joint_tau(scores, cells, tau));
}

}  // namespace mmo
