#include "mmo/learn/kernel/multiply.h"

#include <algorithm>

#include "mmo/core/parallel.h"
#include "mmo/core/product.h"

namespace mmo {

DenseMatrix multiply(const DenseMatrix& x, const DenseMatrix& w) {
  constexpr std::size_t rows_per_task = 64;
  DenseMatrix out(x.rows, w.cols);
  parallel_ranges(x.rows, rows_per_task, [&](std::size_t first, std::size_t last) {
    add_product(x, first, last, w, out.row(first).data());
  });
  return out;
}

DenseMatrix transposed(const DenseMatrix& x) {
  constexpr std::size_t block = 32;  // a block of either matrix stays in the first-level cache
  DenseMatrix out(x.cols, x.rows);
  parallel_ranges(x.cols, block, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = 0; row < x.rows; row += block) {
      for (std::size_t i = row; i < std::min(row + block, x.rows); ++i) {
        for (std::size_t c = first; c < last; ++c) out(c, i) = x(i, c);
      }
    }
  });
  return out;
}

}  // namespace mmo
