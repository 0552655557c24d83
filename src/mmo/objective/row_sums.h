// Weighted sums of a few rows of a block of columns: the kernel of dual descent and of both products with
// sparse features.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mmo/core/simd.h"

namespace mmo {

// sum += Σ_e value(e)·rows[index[e]], in V vectors of columns. In a single chain each addition would wait for
// the one before, so even and odd entries have separate sums, whatever V: a column's result does not depend
// on its neighbours.
template <class Vec, std::size_t V, class Index, class Value>
MMO_INLINE void add_weighted_rows(std::size_t count, const Index* index, const Value& value,
                                  const float* rows, std::size_t stride, Vec (&sum)[V]) {
  Vec odd[V] = {};
  const auto add = [&](std::size_t e, Vec(&to)[V]) MMO_INLINE_LAMBDA {
    const float* row = rows + index[e] * stride;
    const float factor = value(e);
    for (std::size_t v = 0; v < V; ++v) to[v] += factor * load_vector<Vec>(row + v * width_of<Vec>);
  };
  std::size_t e = 0;
  for (; e + 2 <= count; e += 2) {
    add(e, sum);
    add(e + 1, odd);
  }
  if (e < count) add(e, sum);
  for (std::size_t v = 0; v < V; ++v) sum[v] += odd[v];
}

// out = start + Σ_e value(e)·rows[index[e]]; `start` may be `out`.
template <class Vec, std::size_t V, class Index, class Value>
MMO_INLINE void sum_rows(std::size_t count, const Index* index, const Value& value, const float* rows,
                         std::size_t stride, const float* start, float* out) {
  Vec sum[V];
  for (std::size_t v = 0; v < V; ++v) sum[v] = load_vector<Vec>(start + v * width_of<Vec>);
  add_weighted_rows<Vec, V>(count, index, value, rows, stride, sum);
  for (std::size_t v = 0; v < V; ++v) store_vector(out + v * width_of<Vec>, sum[v]);
}

// The transpose of add_weighted_rows: rows[index[e]] += value[e]·change.
template <class Vec, std::size_t V>
MMO_INLINE void add_to_rows(std::size_t count, const std::uint32_t* index, const float* value,
                            const Vec (&change)[V], float* rows, std::size_t stride) {
  for (std::size_t e = 0; e < count; ++e) {
    float* to = rows + index[e] * stride;
    const float factor = value[e];
    Vec sum[V];
    for (std::size_t v = 0; v < V; ++v)
      sum[v] = load_vector<Vec>(to + v * width_of<Vec>) + factor * change[v];
    for (std::size_t v = 0; v < V; ++v) store_vector(to + v * width_of<Vec>, sum[v]);
  }
}

// body<Vec, V>(c) for groups of columns c … that sum_rows handles in one walk, in vectors as wide as `Widest`
// where they fit.
template <class Widest, class Body>
MMO_INLINE void for_column_groups(std::size_t stride, const Body& body) {
  constexpr std::size_t most = 32;
  std::size_t c = 0;
  for (; c + most <= stride; c += most) body.template operator()<Widest, most / width_of<Widest>>(c);
  const std::size_t left = stride - c;
  if (left == 24) body.template operator()<Vec8, 3>(c);
  if (left == 16) body.template operator()<Widest, 16 / width_of<Widest>>(c);
  if (left == 8) body.template operator()<Vec8, 1>(c);
}

}  // namespace mmo
