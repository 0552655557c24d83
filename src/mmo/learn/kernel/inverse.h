// The inverse of a symmetric positive definite matrix, in place.
#pragma once

#include "mmo/core/matrix.h"

namespace mmo {

// Sweeps blocks of pivots B (R: all other rows): with P = A_BB⁻¹,
//   A_RR ← A_RR − A_RB·P·A_BR,   A_RB ← A_RB·P,   A_BB ← −P;
// once every block is swept, A has become −A⁻¹. Almost all of it is one large product per block. That is in
// single precision; where rows repeat and the ridge is small it is not enough, so the result is checked and,
// if need be, made anew in double precision.
void invert_positive(DenseMatrix& a);

}  // namespace mmo
