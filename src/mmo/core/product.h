// Dense products, row-major. out += x·w is serial, and a row's result depends on that row alone, not on how
// rows are grouped into calls.
#pragma once

#include <cstddef>

#include "mmo/core/matrix.h"

namespace mmo {

// x: rows × w.rows, out: rows × w.cols.
void add_product(const float* x, std::size_t rows, const DenseMatrix& w, float* out);
// Rows first … last − 1 of x; x.cols == w.rows, out: (last − first) × w.cols.
void add_product(const DenseMatrix& x, std::size_t first, std::size_t last, const DenseMatrix& w, float* out);
void add_product(const CsrMatrix& x, std::size_t first, std::size_t last, const DenseMatrix& w, float* out);

// xᵀx; symmetric, so half of it is computed, in parallel.
[[nodiscard]] DenseMatrix gram(const DenseMatrix& x);

}  // namespace mmo
