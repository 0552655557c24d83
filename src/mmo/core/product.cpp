#include "mmo/core/product.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "mmo/core/simd.h"

namespace mmo {
namespace {

// A panel of w, depth × width, is copied side by side so that it stays in the first-level cache while all
// rows pass over it.
constexpr std::size_t depth = 256;
constexpr std::size_t vectors = 2;
constexpr std::size_t width = vectors * lanes;

// out[r][0..columns) += Σ_k x[r][k]·panel[k]. R·vectors accumulators stay in registers.
template <std::size_t R>
MMO_INLINE void tile(const float* x, std::size_t stride, const float* panel, std::size_t terms, float* out,
                     std::size_t out_stride, std::size_t columns) {
  Vec8 sum[R][vectors] = {};
  for (std::size_t k = 0; k < terms; ++k) {
    for (std::size_t v = 0; v < vectors; ++v) {
      const Vec8 row = load8(panel + k * width + v * lanes);
      for (std::size_t r = 0; r < R; ++r) sum[r][v] += x[r * stride + k] * row;
    }
  }
  for (std::size_t r = 0; r < R; ++r) {
    std::array<float, width> total;
    for (std::size_t v = 0; v < vectors; ++v) store8(total.data() + v * lanes, sum[r][v]);
    for (std::size_t c = 0; c < columns; ++c) out[r * out_stride + c] += total[c];
  }
}

}  // namespace

MMO_SIMD void add_product(const float* x, std::size_t rows, const DenseMatrix& w, float* out) {
  constexpr std::size_t together = 6;
  std::array<float, depth * width> panel;
  for (std::size_t first = 0; first < w.rows; first += depth) {
    const std::size_t terms = std::min(depth, w.rows - first);
    for (std::size_t column = 0; column < w.cols; column += width) {
      const std::size_t columns = std::min(width, w.cols - column);
      if (columns < width) panel.fill(0);
      for (std::size_t k = 0; k < terms; ++k) {
        std::copy_n(w.values.data() + (first + k) * w.cols + column, columns, panel.data() + k * width);
      }
      std::size_t i = 0;
      for (; i + together <= rows; i += together) {
        tile<together>(x + i * w.rows + first, w.rows, panel.data(), terms, out + i * w.cols + column, w.cols,
                       columns);
      }
      for (; i < rows; ++i) {
        tile<1>(x + i * w.rows + first, w.rows, panel.data(), terms, out + i * w.cols + column, w.cols,
                columns);
      }
    }
  }
}

MMO_SIMD void add_product(const CsrMatrix& x, const DenseMatrix& w, float* out) {
  assert(x.cols == w.rows);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const auto indices = x.row_indices(i);
    const auto values = x.row_values(i);
    float* to = out + i * w.cols;
    for (std::size_t e = 0; e < indices.size(); ++e) {
      const float value = values[e];
      const float* from = w.values.data() + indices[e] * w.cols;
      for (std::size_t c = 0; c < w.cols; ++c) to[c] += value * from[c];
    }
  }
}

DenseMatrix transpose(const DenseMatrix& x) {
  constexpr std::size_t tile_side = 16;  // one cache line of floats on either side
  DenseMatrix out(x.cols, x.rows);
  for (std::size_t i0 = 0; i0 < x.rows; i0 += tile_side) {
    for (std::size_t j0 = 0; j0 < x.cols; j0 += tile_side) {
      for (std::size_t i = i0; i < std::min(i0 + tile_side, x.rows); ++i) {
        for (std::size_t j = j0; j < std::min(j0 + tile_side, x.cols); ++j) out(j, i) = x(i, j);
      }
    }
  }
  return out;
}

}  // namespace mmo
