// What a search will take, told before it starts: `--memory` refuses what would not fit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mmo/search/problem.h"
#include "mmo/search/recipe.h"
#include "mmo/search/selection.h"

namespace mmo {

// Beyond the loaded file: mapped features, out-of-fold scores and fold weights of every loss, the solver's
// blocks of all threads, the label mix; and the solver's products at a usual speed. Memory is an upper bound,
// time an order of magnitude.
[[nodiscard]] SearchEstimate estimate_search(const Problem& problem, const Features& encoded,
                                             const Recipe& recipe, const Choosers& choosers,
                                             std::size_t threads);

// Throws UsageError naming the estimate and what would lower it.
void require_memory(std::uint64_t limit, std::uint64_t estimate);

}  // namespace mmo
