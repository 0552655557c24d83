// The directions in which centred features vary most.
#pragma once

#include <cstddef>

#include "mmo/core/matrix.h"

namespace mmo {

// d × k with orthonormal columns, largest variance first; at most `count`, and none without variance.
[[nodiscard]] DenseMatrix principal_axes(const DenseMatrix& x, std::size_t count);

}  // namespace mmo
