// One cell of a column as the margin losses see it.
#pragma once

#include "mmo/core/simd.h"

namespace mmo {

struct ColumnCell {
  float sign, positive, negative, row_cost;  // weights already multiplied by the row's
  // a for t = +1, b for t = −1, 0 for t = 0, without a branch.
  [[nodiscard]] MMO_INLINE float weight() const {
    return 0.5F * sign * ((sign + 1.0F) * positive + (sign - 1.0F) * negative);
  }
};

}  // namespace mmo
