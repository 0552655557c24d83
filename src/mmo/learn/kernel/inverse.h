// The inverse of a symmetric positive definite matrix, in place.
#pragma once

#include "mmo/core/matrix.h"

namespace mmo {

// Sweeps blocks of pivots B (R: all other rows): with P = A_BB⁻¹,
//   A_RR ← A_RR − A_RB·P·A_BR,   A_RB ← A_RB·P,   A_BB ← −P;
// once every block is swept, A has become −A⁻¹. Almost all of it is one large product per block. In single
// precision: fit for a ridge above 10⁻⁵ of the largest eigenvalue.
void invert_positive(DenseMatrix& a);

}  // namespace mmo
