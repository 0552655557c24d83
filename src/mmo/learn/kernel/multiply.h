// Whole dense matrices.
#pragma once

#include "mmo/core/matrix.h"

namespace mmo {

// x·w, in parallel.
[[nodiscard]] DenseMatrix multiply(const DenseMatrix& x, const DenseMatrix& w);
[[nodiscard]] DenseMatrix transposed(const DenseMatrix& x);

}  // namespace mmo
