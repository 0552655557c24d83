#include "mmo/loss/cell_cost.h"

#include <cassert>

namespace mmo {

std::vector<CellCost> tight_cells(std::span<const std::uint8_t> present, std::span<const LabelCost> costs) {
  assert(present.size() == costs.size());
  std::vector<CellCost> cells(costs.size());
  for (std::size_t j = 0; j < cells.size(); ++j) cells[j] = tight_cell(costs[j], present[j] != 0);
  return cells;
}

}  // namespace mmo
