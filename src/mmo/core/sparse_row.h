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

// out[0..8V) = start[0..8V) + Σ_e value_e·w[index_e][0..8V); the sums stay in registers. `start` may be
// `out`.
template <std::size_t V>
MMO_INLINE void multiply_row(const SparseRow& row, const float* w, std::size_t stride, const float* start,
                             float* out) {
  Vec8 sum[V];
  for (std::size_t v = 0; v < V; ++v) sum[v] = load8(start + v * lanes);
  for (std::size_t e = 0; e < row.count; ++e) {
    const float* from = w + row.index[e] * stride;
    for (std::size_t v = 0; v < V; ++v) sum[v] += row.value[e] * load8(from + v * lanes);
  }
  for (std::size_t v = 0; v < V; ++v) store8(out + v * lanes, sum[v]);
}

}  // namespace mmo
