// What a search will take, told before it starts; and how many rows it may see to stay within a limit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mmo/learn/linear/l2_path.h"
#include "mmo/learn/problem.h"
#include "mmo/search/recipe.h"
#include "mmo/search/train_options.h"

namespace mmo {

// A search on `rows` of the problem's rows (a share of each fold) and a final fit on all of them. Memory
// beyond the loaded file: mapped features, out-of-fold scores and fold weights of every loss, the solver's
// blocks of all threads, the label mix; an upper bound. Time: the solver's products at a usual speed; an
// order of magnitude.
[[nodiscard]] SearchEstimate estimate_search(const Problem& problem, const Features& encoded,
                                             const Recipe& recipe, const Choosers& choosers,
                                             std::size_t threads, std::size_t rows);

// How many rows a search may see to stay within `limit`: all, or fewer in steps of a tenth, but never fewer
// than 20,000 or a tenth of all. Counted for one thread, so that the choice does not depend on their number.
[[nodiscard]] std::size_t rows_within(std::uint64_t limit, const Problem& problem, const Features& encoded,
                                      const Recipe& recipe);

// Throws UsageError naming the estimate and what would lower it.
[[noreturn]] void refuse_memory(std::uint64_t limit, std::uint64_t estimate);

}  // namespace mmo
