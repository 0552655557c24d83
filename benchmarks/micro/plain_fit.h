// One plain fit, as LIBLINEAR's `-s 0 -B 1 -R` has it: for each label ½‖w‖² + Σ_i log(1 + exp(−t_i·(w·x_i +
// b))), C = 1, the bias not penalised. Labels that all rows or no row has are left out on both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mmo/data/dataset.h"
#include "mmo/model/model.h"

namespace mmo::bench {

struct PlainFit {
  Model model;                         // identity map, thresholds 0
  std::vector<std::uint32_t> trained;  // labels that some rows have and others lack
  std::size_t iterations = 0, unfinished = 0;
};

// `tolerance`: the solver's (predicted decrease relative to the value).
[[nodiscard]] PlainFit plain_fit(const Dataset& data, double tolerance);

// The objective summed over the trained labels, in double precision from the weights themselves.
[[nodiscard]] double objective(const PlainFit& fit, const Dataset& data);

}  // namespace mmo::bench
