#include "mmo/core/product.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <vector>

#include "mmo/core/parallel.h"
#include "mmo/core/simd.h"

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
    Vec8 row[V];
    for (std::size_t v = 0; v < V; ++v) row[v] = load8(panel + (k * V + v) * lanes);
    for (std::size_t r = 0; r < R; ++r) {
      for (std::size_t v = 0; v < V; ++v) sum[r][v] += x[r * stride + k] * row[v];
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

struct SparseRow {
  const std::uint32_t* index;
  const float* value;
  std::size_t count;
};

// out[0..columns) = start[0..columns) + Σ_e value_e·w[index_e][0..columns), in V vectors, the last of which
// ends where the columns end: 8·(V − 1) < columns ≤ 8V, at least 8. The sums stay in registers. `start` may
// be `out`.
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

// At least one and up to V vectors of columns in one walk over the row's entries.
template <std::size_t V>
MMO_INLINE void add_vectors(std::size_t columns, const SparseRow& row, const float* w, std::size_t stride,
                            float* out) {
  if (columns > (V - 1) * lanes) {
    multiply_row<V>(row, w, stride, out, out, columns);
  } else if constexpr (V > 1) {
    add_vectors<V - 1>(columns, row, w, stride, out);
  }
}

// The last columns, fewer than a vector: takes the vector that ends with the matrix row, uses its new lanes.
MMO_INLINE void add_row_end(const SparseRow& row, const float* w, std::size_t stride, float* out,
                            std::size_t columns) {
  if (stride >= lanes) {
    const std::size_t known = lanes - columns;
    std::array<float, lanes> end{};
    std::copy_n(out, columns, end.data() + known);
    multiply_row<1>(row, w - known, stride, end.data(), end.data());
    std::copy_n(end.data() + known, columns, out);
    return;
  }
  for (std::size_t e = 0; e < row.count; ++e) {
    const float* from = w + row.index[e] * stride;
    for (std::size_t c = 0; c < columns; ++c) out[c] += row.value[e] * from[c];
  }
}

// out[r] += Σ_i x[i][r]·panel[i] for R columns of x and gram_width columns in the panel.
constexpr std::size_t gram_width = 2 * lanes;
template <std::size_t R>
MMO_INLINE void moment_tile(const float* x, std::size_t stride, std::size_t rows, const float* panel,
                            float* out) {
  constexpr std::size_t vectors = gram_width / lanes;
  Vec8 sum[R][vectors] = {};
  for (std::size_t i = 0; i < rows; ++i) {
    Vec8 row[vectors];
    for (std::size_t v = 0; v < vectors; ++v) row[v] = load8(panel + (i * vectors + v) * lanes);
    for (std::size_t r = 0; r < R; ++r) {
      for (std::size_t v = 0; v < vectors; ++v) sum[r][v] += x[i * stride + r] * row[v];
    }
  }
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < vectors; ++v) {
      float* to = out + (r * vectors + v) * lanes;
      store8(to, load8(to) + sum[r][v]);
    }
  }
}

// Columns 0 … last − 1 of x against a panel of its columns, over some rows; out: last × gram_width.
MMO_SIMD void add_moments(const float* x, std::size_t stride, std::size_t rows, const float* panel,
                          std::size_t last, float* out) {
  constexpr std::size_t together = 6;
  std::size_t a = 0;
  for (; a + together <= last; a += together)
    moment_tile<together>(x + a, stride, rows, panel, out + a * gram_width);
  for (; a < last; ++a) moment_tile<1>(x + a, stride, rows, panel, out + a * gram_width);
}

}  // namespace

MMO_SIMD void add_product(const float* x, std::size_t rows, const DenseMatrix& w, float* out) {
  for (std::size_t first = 0; first < w.rows; first += depth) {
    const std::size_t terms = std::min(depth, w.rows - first);
    std::size_t c = 0;
    for (; c + lanes < w.cols; c += 2 * lanes)
      add_panel<5, 2>(x, rows, w, first, terms, c, std::min(2 * lanes, w.cols - c), out);
    if (c < w.cols) add_panel<10, 1>(x, rows, w, first, terms, c, w.cols - c, out);
  }
}

MMO_SIMD void add_product(const CsrMatrix& x, std::size_t first, std::size_t last, const DenseMatrix& w,
                          float* out) {
  assert(x.cols == w.rows);
  constexpr std::size_t most = 8;  // vectors whose sums stay in registers
  for (std::size_t i = first; i < last; ++i, out += w.cols) {
    const auto indices = x.row_indices(i);
    const SparseRow row{indices.data(), x.row_values(i).data(), indices.size()};
    const float* from = w.values.data();
    std::size_t c = 0;
    for (; c + most * lanes <= w.cols; c += most * lanes)
      multiply_row<most>(row, from + c, w.cols, out + c, out + c);
    if (c + lanes <= w.cols) {
      add_vectors<most>(w.cols - c, row, from + c, w.cols, out + c);
    } else if (c < w.cols) {
      add_row_end(row, from + c, w.cols, out + c, w.cols - c);
    }
  }
}

void add_product(const DenseMatrix& x, std::size_t first, std::size_t last, const DenseMatrix& w,
                 float* out) {
  add_product(x.values.data() + first * x.cols, last - first, w, out);
}

DenseMatrix gram(const DenseMatrix& x) {
  DenseMatrix out(x.cols, x.cols);
  constexpr std::size_t panels = 4;  // that share a chunk of rows while it is in the second-level cache
  parallel_ranges(x.cols, panels * gram_width, [&](std::size_t first, std::size_t last) {
    constexpr std::size_t chunk_rows = 128;  // of which a panel and six columns stay in the first-level cache
    std::vector<float> panel(chunk_rows * gram_width);
    std::vector<DenseMatrix> products;
    for (std::size_t j = first; j < last; j += gram_width)
      products.emplace_back(std::min(j + gram_width, last), gram_width);
    for (std::size_t row = 0; row < x.rows; row += chunk_rows) {
      throw_if_cancelled();
      const std::size_t rows = std::min(chunk_rows, x.rows - row);
      for (std::size_t p = 0; p < products.size(); ++p) {
        const std::size_t j = first + p * gram_width;
        for (std::size_t i = 0; i < rows; ++i)
          std::copy_n(x.row(row + i).data() + j, products[p].rows - j, panel.data() + i * gram_width);
        add_moments(x.row(row).data(), x.cols, rows, panel.data(), products[p].rows,
                    products[p].values.data());
      }
    }
    for (std::size_t j = first; j < last; ++j) {
      const DenseMatrix& product = products[(j - first) / gram_width];
      for (std::size_t i = 0; i <= j; ++i) out(i, j) = out(j, i) = product(i, (j - first) % gram_width);
    }
  });
  return out;
}

}  // namespace mmo
