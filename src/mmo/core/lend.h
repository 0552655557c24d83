// A second view of the same features. `share` copies numbers that nobody has lent; this never copies
// them.
#pragma once

#include "mmo/core/matrix.h"

namespace mmo {

// The same features without a copy (except of a sparse matrix's offsets); `x` must outlive the result.
[[nodiscard]] Features lend(const Features& x);
[[nodiscard]] CsrMatrix lend(const CsrMatrix& x);

}  // namespace mmo
