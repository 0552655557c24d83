// Feature matrices for tests: the same numbers dense and sparse.
#pragma once

#include <variant>

#include "mmo/core/matrix.h"

namespace mmo {

// All cells but those that are 0; NaN stays.
inline CsrMatrix to_sparse(const DenseMatrix& x) {
  CsrMatrix out;
  out.rows = x.rows;
  out.cols = x.cols;
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t j = 0; j < x.cols; ++j) {
      if (x(i, j) == 0) continue;
      out.indices.push_back(static_cast<std::uint32_t>(j));
      out.values.push_back(x(i, j));
    }
    out.offsets.push_back(out.indices.size());
  }
  return out;
}

inline DenseMatrix to_dense(const Features& x) {
  if (const auto* dense = std::get_if<DenseMatrix>(&x)) return *dense;
  const auto& sparse = std::get<CsrMatrix>(x);
  DenseMatrix out(sparse.rows, sparse.cols);
  for (std::size_t i = 0; i < sparse.rows; ++i) {
    for (std::size_t k = 0; k < sparse.row_indices(i).size(); ++k)
      out(i, sparse.row_indices(i)[k]) = sparse.row_values(i)[k];
  }
  return out;
}

}  // namespace mmo
