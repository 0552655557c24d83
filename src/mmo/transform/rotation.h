// Rotation onto principal axes. With centred features XᵀX becomes diagonal, so that the solver's diagonal
// preconditioner is nearly the inverse Hessian and a fit takes a handful of iterations. An L2 penalty does
// not see it; it is undone in the weights and never stored.
#pragma once

#include "mmo/core/matrix.h"

namespace mmo {

struct Rotation {
  DenseMatrix axes;  // d × k, orthonormal columns; directions without variance are left out

  [[nodiscard]] DenseMatrix apply(const DenseMatrix& x) const;  // n × k
  // Weights over rotated features ((k + 1) × columns, bias last) → over the original ones ((d + 1) ×
  // columns).
  [[nodiscard]] DenseMatrix undo(const DenseMatrix& rotated_weights) const;
};

[[nodiscard]] Rotation principal_axes(const DenseMatrix& x);

}  // namespace mmo
