// Walks over the cells of a feature matrix that are not 0, whatever its layout.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mmo/core/matrix.h"

namespace mmo {

// Calls cell(column, value) for the cells of row i that are not 0, in ascending order.
template <class Cell>
void for_each_nonzero(const Features& x, std::size_t i, const Cell& cell) {
  if (const auto* sparse = std::get_if<CsrMatrix>(&x)) {
    for (std::uint64_t k = sparse->offsets[i]; k < sparse->offsets[i + 1]; ++k) {
      if (sparse->values[k] != 0.0F) cell(sparse->indices[k], sparse->values[k]);
    }
    return;
  }
  const auto row = std::get<DenseMatrix>(x).row(i);
  for (std::uint32_t j = 0; j < row.size(); ++j) {
    if (row[j] != 0.0F) cell(j, row[j]);
  }
}

}  // namespace mmo
