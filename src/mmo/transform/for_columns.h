// Walks over the columns of row-major features, as fitting a feature map needs.
#pragma once

#include <cstddef>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/core/parallel.h"

namespace mmo {

// Calls fit(column index, a copy of its values) for every column, in parallel.
template <class Fit>
void for_columns(const DenseMatrix& x, const Fit& fit) {
  constexpr std::size_t together = 16;  // a cache line of floats
  parallel_ranges(x.cols, together, [&](std::size_t first, std::size_t last) {
    std::vector<std::vector<float>> columns(last - first, std::vector<float>(x.rows));
    for (std::size_t i = 0; i < x.rows; ++i) {
      for (std::size_t j = first; j < last; ++j) columns[j - first][i] = x(i, j);
    }
    for (std::size_t j = first; j < last; ++j) fit(j, columns[j - first]);
  });
}

}  // namespace mmo
