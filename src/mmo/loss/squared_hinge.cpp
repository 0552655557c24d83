#include "mmo/loss/squared_hinge.h"

#include <algorithm>
#include <cassert>

namespace mmo {

double squared_hinge(std::span<const double> scores, std::span<const CellCost> cells,
                     std::span<double> gradient, std::span<double> curvature) {
  assert(scores.size() == cells.size());
  double value = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const double plus = std::max(0.0, 1 - scores[j]);
    const double minus = std::max(0.0, 1 + scores[j]);
    value += cells[j].plus * plus * plus + cells[j].minus * minus * minus;
    if (!gradient.empty()) gradient[j] = 2 * (cells[j].minus * minus - cells[j].plus * plus);
    if (!curvature.empty()) {
      curvature[j] = 2 * ((plus > 0 ? cells[j].plus : 0.0) + (minus > 0 ? cells[j].minus : 0.0));
    }
  }
  return value;
}

}  // namespace mmo
