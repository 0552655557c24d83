// What a search will take, told before it starts; and how many rows it may see to stay within a limit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mmo/search/learners.h"
#include "mmo/search/train_options.h"

namespace mmo {

// A search on `rows` of the problem's rows (a share of each fold) and a final fit on all of them. Memory
// beyond the loaded file: the features, what the learners take one after the other, their scores, the label
// mix where `mixes`; an upper bound. Time: an order of magnitude.
[[nodiscard]] SearchEstimate estimate_search(const Learners& learners, const LearnerData& all, bool mixes,
                                             std::size_t rows, std::size_t threads);

// How many rows a search may see to stay within `limit`: all, or fewer in steps of a tenth, but never fewer
// than 20,000 or a tenth of all. Counted for one thread, so that the choice does not depend on their number.
[[nodiscard]] std::size_t rows_within(std::uint64_t limit, const Learners& learners, const LearnerData& all,
                                      bool mixes);

// Throws UsageError naming the estimate and what would lower it.
[[noreturn]] void refuse_memory(std::uint64_t limit, std::uint64_t estimate);

}  // namespace mmo
