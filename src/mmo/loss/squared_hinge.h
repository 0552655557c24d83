// Squared hinge under the same costs as the surrogates: Σ_j Σ_{y′} c_j(y′)·max(0, 1 − y′h_j)².
// Curvature is its generalised second derivative (0 beyond the hinge).
#pragma once

#include <span>

#include "mmo/loss/cell_cost.h"

namespace mmo {

double squared_hinge(std::span<const double> scores, std::span<const CellCost> cells,
                     std::span<double> gradient = {}, std::span<double> curvature = {});

}  // namespace mmo
