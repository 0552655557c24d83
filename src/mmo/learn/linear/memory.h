// What the linear fits will allocate: an upper bound, counted before they start.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mmo/learn/problem.h"

namespace mmo {

struct LinearBytes {
  std::uint64_t searching = 0;  // held-out scores of every loss included
  std::uint64_t final_fit = 0;
};

// Searching on `rows` of the problem's rows with so many losses, then a fit on all rows. `hinge_path`: the
// squared hinge is walked along a path of L2, which keeps dual variables on sparse features.
[[nodiscard]] LinearBytes linear_bytes(const Problem& problem, const Features& encoded, std::size_t losses,
                                       bool hinge_path, std::size_t threads, std::size_t rows);

}  // namespace mmo
