#include "mmo/core/product.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>
#include <vector>

#include "mmo/core/parallel.h"
#include "mmo/core/simd.h"
#include "mmo/core/sparse_row.h"

namespace mmo {
namespace {

// A panel of w, depth × width, is copied side by side so that it stays in the first-level cache while all
// rows pass over it.
constexpr std::size_t depth = 256;

// out[r][0..columns) += Σ_k x[r][k]·panel[k]. R·V accumulators stay in registers.
template <std::size_t R, std::size_t V>
MMO_INLINE void tile(const float* x, std::size_t stride, const float* panel, std::size_t terms, float* out,
                     std::size_t out_stride, std::size_t columns) {
  Vec8 sum[R][V] = {};
  for (std::size_t k = 0; k < terms; ++k) {
    for (std::size_t v = 0; v < V; ++v) {
      const Vec8 row = load8(panel + (k * V + v) * lanes);
      for (std::size_t r = 0; r < R; ++r) sum[r][v] += x[r * stride + k] * row;
    }
  }
  for (std::size_t r = 0; r < R; ++r) {
    std::array<float, V * lanes> total;
    for (std::size_t v = 0; v < V; ++v) store8(total.data() + v * lanes, sum[r][v]);
    for (std::size_t c = 0; c < columns; ++c) out[r * out_stride + c] += total[c];
  }
}

// out[·][column..column + columns) += x[·][first..first + terms)·w, `columns` at most 8V, R rows at a time.
template <std::size_t R, std::size_t V>
MMO_INLINE void add_panel(const float* x, std::size_t rows, const DenseMatrix& w, std::size_t first,
                          std::size_t terms, std::size_t column, std::size_t columns, float* out) {
  constexpr std::size_t width = V * lanes;
  std::array<float, depth * width> panel;
  if (columns < width) panel.fill(0);
  for (std::size_t k = 0; k < terms; ++k) {
    std::copy_n(w.values.data() + (first + k) * w.cols + column, columns, panel.data() + k * width);
  }
  std::size_t i = 0;
  for (; i + R <= rows; i += R) {
    tile<R, V>(x + i * w.rows + first, w.rows, panel.data(), terms, out + i * w.cols + column, w.cols,
               columns);
  }
  for (; i < rows; ++i) {
    tile<1, V>(x + i * w.rows + first, w.rows, panel.data(), terms, out + i * w.cols + column, w.cols,
               columns);
  }
}

// The last columns, fewer than a vector: reading one would leave the matrix.
MMO_INLINE void add_row_end(const SparseRow& row, const float* w, std::size_t stride, float* out,
                            std::size_t columns) {
  for (std::size_t e = 0; e < row.count; ++e) {
    const float* from = w + row.index[e] * stride;
    for (std::size_t c = 0; c < columns; ++c) out[c] += row.value[e] * from[c];
  }
}

}  // namespace

MMO_SIMD void add_product(const float* x, std::size_t rows, const DenseMatrix& w, float* out) {
  for (std::size_t first = 0; first < w.rows; first += depth) {
    const std::size_t terms = std::min(depth, w.rows - first);
    std::size_t c = 0;
    for (; c + lanes < w.cols; c += 2 * lanes)
      add_panel<6, 2>(x, rows, w, first, terms, c, std::min(2 * lanes, w.cols - c), out);
    if (c < w.cols) add_panel<10, 1>(x, rows, w, first, terms, c, w.cols - c, out);
  }
}

MMO_SIMD void add_product(const CsrMatrix& x, std::size_t first, std::size_t last, const DenseMatrix& w,
                          float* out) {
  assert(x.cols == w.rows);
  for (std::size_t i = first; i < last; ++i, out += w.cols) {
    const auto indices = x.row_indices(i);
    const SparseRow row{indices.data(), x.row_values(i).data(), indices.size()};
    const float* from = w.values.data();
    std::size_t c = 0;
    for (; c + 4 * lanes <= w.cols; c += 4 * lanes) multiply_row<4>(row, from + c, w.cols, out + c, out + c);
    for (; c + lanes <= w.cols; c += lanes) multiply_row<1>(row, from + c, w.cols, out + c, out + c);
    if (c < w.cols) add_row_end(row, from + c, w.cols, out + c, w.cols - c);
  }
}

void add_product(const DenseMatrix& x, std::size_t first, std::size_t last, const DenseMatrix& w,
                 float* out) {
  add_product(x.values.data() + first * x.cols, last - first, w, out);
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

DenseMatrix gram(const DenseMatrix& x) {
  constexpr std::size_t side = 96;  // columns of a block: whole tiles of add_product in both directions
  constexpr std::size_t chunk_rows = 1024;
  const auto columns = [&](std::size_t block, std::size_t row, std::size_t rows) {
    const std::size_t first = block * side;
    DenseMatrix out(rows, std::min(side, x.cols - first));
    for (std::size_t i = 0; i < rows; ++i)
      std::copy_n(x.row(row + i).data() + first, out.cols, out.row(i).data());
    return out;
  };
  const std::size_t blocks = (x.cols + side - 1) / side;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < blocks; ++a) {
    for (std::size_t b = a; b < blocks; ++b) pairs.emplace_back(a, b);
  }
  DenseMatrix out(x.cols, x.cols);
  parallel_for(pairs.size(), [&](std::size_t task) {
    const auto [a, b] = pairs[task];
    DenseMatrix product(std::min(side, x.cols - a * side), std::min(side, x.cols - b * side));
    for (std::size_t row = 0; row < x.rows; row += chunk_rows) {
      throw_if_cancelled();
      const std::size_t rows = std::min(chunk_rows, x.rows - row);
      add_product(transpose(columns(a, row, rows)), 0, product.rows, columns(b, row, rows),
                  product.values.data());
    }
    for (std::size_t i = 0; i < product.rows; ++i) {
      for (std::size_t j = 0; j < product.cols; ++j) {
        out(a * side + i, b * side + j) = product(i, j);
        out(b * side + j, a * side + i) = product(i, j);
      }
    }
  });
  return out;
}

}  // namespace mmo
