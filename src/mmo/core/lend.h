// Features under a second owner's name: what `share` copies where the numbers are nobody's loan, this does
// not.
#pragma once

#include "mmo/core/matrix.h"

namespace mmo {

// The features as they are, without a copy (but of a sparse matrix' offsets); `x` must outlive the result.
[[nodiscard]] Features lend(const Features& x);
[[nodiscard]] CsrMatrix lend(const CsrMatrix& x);

}  // namespace mmo
