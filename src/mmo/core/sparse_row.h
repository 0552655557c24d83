// One sparse row times a few columns of a row-major matrix: the kernel of scoring and of fitting alike.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mmo/core/simd.h"

namespace mmo {

struct SparseRow {
  const std::uint32_t* index;
  const float* value;
  std::size_t count;
};

// out[0..columns) = start[0..columns) + Σ_e value_e·w[index_e][0..columns), in V vectors of which the last
// ends with the columns: 8·(V − 1) < columns ≤ 8V, and at least 8. The sums stay in registers. `start` may be
// `out`.
template <std::size_t V>
MMO_INLINE void multiply_row(const SparseRow& row, const float* w, std::size_t stride, const float* start,
                             float* out, std::size_t columns = V * lanes) {
  const auto place = [columns](std::size_t v)
                         MMO_INLINE_LAMBDA { return v + 1 < V ? v * lanes : columns - lanes; };
  Vec8 sum[V];
  for (std::size_t v = 0; v < V; ++v) sum[v] = load8(start + place(v));
  for (std::size_t e = 0; e < row.count; ++e) {
    const float* from = w + row.index[e] * stride;
    for (std::size_t v = 0; v < V; ++v) sum[v] += row.value[e] * load8(from + place(v));
  }
  for (std::size_t v = 0; v < V; ++v) store8(out + place(v), sum[v]);
}

}  // namespace mmo
