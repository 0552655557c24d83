// What the label costs become given one row's truth: c_j(y′) ≥ 0 for y′ = +1 and −1, the weight with which
// the surrogates pull the score of label j towards y′.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mmo/cost/cost.h"

namespace mmo {

struct CellCost {
  double plus = 0;                                           // c_j(+1)
  double minus = 0;                                          // c_j(−1)
  [[nodiscard]] double sum() const { return plus + minus; }  // A_j
};

// Tight shift: the smaller of c_j(+1), c_j(−1) is 0, the other |a_j| (label present) or |b_j| (absent); a
// negative cost pulls towards the opposite prediction.
inline CellCost tight_cell(const LabelCost& cost, bool present) {
  const double pull = present ? cost.false_negative : -cost.false_positive;
  return pull >= 0 ? CellCost{.plus = pull, .minus = 0} : CellCost{.plus = 0, .minus = -pull};
}

// The cells of one row; `present` holds 0 or 1 per label.
[[nodiscard]] std::vector<CellCost> tight_cells(std::span<const std::uint8_t> present,
                                                std::span<const LabelCost> costs);

}  // namespace mmo
