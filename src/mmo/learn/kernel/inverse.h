// The inverse of a symmetric positive definite matrix, in place.
#pragma once

#include "mmo/core/matrix.h"

namespace mmo {

// Sweeps over blocks of pivots B (R: all other rows): with P = A_BB⁻¹,
//   A_RR ← A_RR − A_RB·P·A_BR,   A_RB ← A_RB·P,   A_BB ← −P;
// once every block is swept, A has become −A⁻¹. Nearly all the work is one large product per block. It is in
// single precision, which is not enough if rows repeat and the ridge is small, so the result is checked and,
// if need be, computed again in double precision.
void invert_positive(DenseMatrix& a);

}  // namespace mmo
