#include "mmo/objective/products.h"

#include <algorithm>

#include "mmo/core/simd.h"
#include "mmo/objective/row_sums.h"

namespace mmo {
namespace {

// Rows the dense products handle together: a block of X (rows × d) stays in the second-level cache while all
// column groups go over it.
constexpr std::size_t row_block = 128;

// Z[i..i+R)[c..c+8V) = X[i..i+R)·W[·][c..c+8V) + bias. R·V accumulators stay in registers.
template <std::size_t R, std::size_t V>
MMO_INLINE void forward_tile(const float* x, std::size_t d, const float* w, std::size_t stride, float* z) {
  Vec8 sum[R][V];
  for (std::size_t v = 0; v < V; ++v) {
    const Vec8 bias = load8(w + d * stride + v * lanes);
    for (std::size_t r = 0; r < R; ++r) sum[r][v] = bias;
  }
  for (std::size_t k = 0; k < d; ++k) {
    Vec8 row[V];
    for (std::size_t v = 0; v < V; ++v) row[v] = load8(w + k * stride + v * lanes);
    for (std::size_t r = 0; r < R; ++r) {
      const float a = x[r * d + k];
      for (std::size_t v = 0; v < V; ++v) sum[r][v] += a * row[v];
    }
  }
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < V; ++v) store8(z + r * stride + v * lanes, sum[r][v]);
  }
}

template <std::size_t V>
MMO_INLINE void forward_group(const float* x, std::size_t n, std::size_t d, const float* w,
                              std::size_t stride, float* z) {
  constexpr std::size_t tile = 6;
  std::size_t i = 0;
  for (; i + tile <= n; i += tile) forward_tile<tile, V>(x + i * d, d, w, stride, z + i * stride);
  for (; i < n; ++i) forward_tile<1, V>(x + i * d, d, w, stride, z + i * stride);
}

// G[k..k+K)[c..c+8V) += Σ_i X[i][k..k+K)·R[i][c..c+8V) over `n` rows.
template <std::size_t K, std::size_t V>
MMO_INLINE void backward_tile(const float* x, std::size_t n, std::size_t d, const float* r,
                              std::size_t stride, float* g) {
  Vec8 sum[K][V];
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t v = 0; v < V; ++v) sum[k][v] = load8(g + k * stride + v * lanes);
  }
  for (std::size_t i = 0; i < n; ++i) {
    Vec8 row[V];
    for (std::size_t v = 0; v < V; ++v) row[v] = load8(r + i * stride + v * lanes);
    for (std::size_t k = 0; k < K; ++k) {
      const float a = x[i * d + k];
      for (std::size_t v = 0; v < V; ++v) sum[k][v] += a * row[v];
    }
  }
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t v = 0; v < V; ++v) store8(g + k * stride + v * lanes, sum[k][v]);
  }
}

template <std::size_t V>
MMO_INLINE void backward_group(const float* x, std::size_t n, std::size_t d, const float* r,
                               std::size_t stride, float* g) {
  constexpr std::size_t tile = 6;
  std::size_t k = 0;
  for (; k + tile <= d; k += tile) backward_tile<tile, V>(x + k, n, d, r, stride, g + k * stride);
  for (; k < d; ++k) backward_tile<1, V>(x + k, n, d, r, stride, g + k * stride);
  for (std::size_t v = 0; v < V; ++v) {  // bias row: x = 1
    Vec8 sum = load8(g + d * stride + v * lanes);
    for (std::size_t i = 0; i < n; ++i) sum += load8(r + i * stride + v * lanes);
    store8(g + d * stride + v * lanes, sum);
  }
}

// Rows beyond every column's margin (squared hinge) or held out contribute nothing.
template <std::size_t V>
MMO_INLINE bool all_zero(const Vec8 (&row)[V]) {
  Vec8 magnitude = row[0] * row[0];
  for (std::size_t v = 1; v < V; ++v) magnitude += row[v] * row[v];
  float sum = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) sum += magnitude[lane];
  return sum == 0.0F;
}

// G[k][c..c+8V) += x_ik·R[i][c..c+8V) for the entries of one sparse row.
template <std::size_t V>
MMO_INLINE void backward_sparse_row(const std::uint32_t* index, const float* value, std::size_t count,
                                    const float* r, float* g, float* bias, std::size_t stride) {
  Vec8 row[V];
  for (std::size_t v = 0; v < V; ++v) row[v] = load8(r + v * lanes);
  if (all_zero<V>(row)) return;
  add_to_rows<Vec8, V>(count, index, value, row, g, stride);
  for (std::size_t v = 0; v < V; ++v) store8(bias + v * lanes, load8(bias + v * lanes) + row[v]);
}

// Z = X·W + b, of all rows or of `rows`.
template <class Widest>
MMO_INLINE void forward_sparse(const CsrMatrix& x, const std::uint32_t* rows, std::size_t count,
                               const float* w, std::size_t stride, float* z) {
  const float* bias = w + x.cols * stride;
  for (std::size_t at = 0; at < count; ++at) {
    const std::size_t i = rows != nullptr ? rows[at] : at;
    const std::size_t first = x.offsets[i];
    const float* values = x.values.data() + first;
    const auto value = [values](std::size_t e) MMO_INLINE_LAMBDA { return values[e]; };
    for_column_groups<Widest>(stride, [&]<class Vec, std::size_t V>(std::size_t c) MMO_INLINE_LAMBDA {
      sum_rows<Vec, V>(x.offsets[i + 1] - first, x.indices.data() + first, value, w + c, stride, bias + c,
                       z + at * stride + c);
    });
  }
}

}  // namespace

MMO_SIMD void forward(const DenseMatrix& x, const float* w, std::size_t stride, float* z) {
  for (std::size_t first = 0; first < x.rows; first += row_block) {
    const std::size_t n = std::min(row_block, x.rows - first);
    const float* block = x.values.data() + first * x.cols;
    float* out = z + first * stride;
    std::size_t c = 0;
    for (; c + 2 * lanes <= stride; c += 2 * lanes)
      forward_group<2>(block, n, x.cols, w + c, stride, out + c);
    for (; c < stride; c += lanes) forward_group<1>(block, n, x.cols, w + c, stride, out + c);
  }
}

MMO_SIMD void backward(const DenseMatrix& x, const float* r, std::size_t stride, float* g) {
  std::fill_n(g, (x.cols + 1) * stride, 0.0F);
  for (std::size_t first = 0; first < x.rows; first += row_block) {
    const std::size_t n = std::min(row_block, x.rows - first);
    const float* block = x.values.data() + first * x.cols;
    const float* in = r + first * stride;
    std::size_t c = 0;
    for (; c + 2 * lanes <= stride; c += 2 * lanes)
      backward_group<2>(block, n, x.cols, in + c, stride, g + c);
    for (; c < stride; c += lanes) backward_group<1>(block, n, x.cols, in + c, stride, g + c);
  }
}

void forward(const CsrMatrix& x, const float* w, std::size_t stride, float* z) {
  in_widest_vectors([&x, w, stride, z]<class Widest>()
                        MMO_INLINE_LAMBDA { forward_sparse<Widest>(x, nullptr, x.rows, w, stride, z); });
}

void forward(const CsrMatrix& x, std::span<const std::uint32_t> rows, const float* w, std::size_t stride,
             float* z) {
  in_widest_vectors([&x, rows, w, stride, z]<class Widest>() MMO_INLINE_LAMBDA {
    forward_sparse<Widest>(x, rows.data(), rows.size(), w, stride, z);
  });
}

MMO_SIMD void backward(const CsrMatrix& x, const float* r, std::size_t stride, float* g) {
  std::fill_n(g, (x.cols + 1) * stride, 0.0F);
  float* bias = g + x.cols * stride;
  for (std::size_t i = 0; i < x.rows; ++i) {
    const std::uint32_t* index = x.indices.data() + x.offsets[i];
    const float* value = x.values.data() + x.offsets[i];
    const std::size_t count = x.offsets[i + 1] - x.offsets[i];
    const float* in = r + i * stride;
    std::size_t c = 0;
    for (; c + 4 * lanes <= stride; c += 4 * lanes) {
      backward_sparse_row<4>(index, value, count, in + c, g + c, bias + c, stride);
    }
    for (; c < stride; c += lanes)
      backward_sparse_row<1>(index, value, count, in + c, g + c, bias + c, stride);
  }
}

}  // namespace mmo
