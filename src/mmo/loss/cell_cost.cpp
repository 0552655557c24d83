#include "mmo/loss/cell_cost.h"

#include <cassert>
#include <cmath>

#include "mmo/cost/bounds.h"

namespace mmo {

std::vector<CellCost> tight_cells(std::span<const std::uint8_t> present, std::span<const LabelCost> costs) {
  assert(present.size() == costs.size());
  std::vector<CellCost> cells(costs.size());
  for (std::size_t j = 0; j < cells.size(); ++j) cells[j] = tight_cell(costs[j], present[j] != 0);
  return cells;
}

std::vector<CellCost> paper_cells(std::span<const std::uint8_t> present, std::span<const LabelCost> costs) {
  assert(costs.size() <= 12);
  const double shift = std::exp(log_cost_sum(costs)) / static_cast<double>(costs.size());
  std::vector<CellCost> cells = tight_cells(present, costs);
  // L̄_j(y′) is the cost of predicting y′: what the tight cell pays for the other prediction.
  for (CellCost& cell : cells) cell = {.plus = shift - cell.minus, .minus = shift - cell.plus};
  return cells;
}

}  // namespace mmo
