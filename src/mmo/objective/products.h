// The two products every iteration needs, for a block of columns that share X:
//   forward    Z = X·W + 1·bᵀ      (n × c) from (d + 1) × c; the last row of W is the bias b
//   backward   G = (X, 1)ᵀ·R       ((d + 1) × c) from n × c
// All column blocks are row-major with a stride that is a multiple of 8 floats; padding columns are computed
// like any other. A column's result does not depend on its neighbours or its position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mmo/core/matrix.h"

namespace mmo {

void forward(const DenseMatrix& x, const float* w, std::size_t stride, float* z);
void forward(const CsrMatrix& x, const float* w, std::size_t stride, float* z);
// Only for these rows of X, in this order.
void forward(const CsrMatrix& x, std::span<const std::uint32_t> rows, const float* w, std::size_t stride,
             float* z);
void backward(const DenseMatrix& x, const float* r, std::size_t stride, float* g);
void backward(const CsrMatrix& x, const float* r, std::size_t stride, float* g);

}  // namespace mmo
