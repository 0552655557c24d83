// Rows in an order that follows from what they hold and from nothing else: who takes the first few of them
// takes a random sample that stays the same when the rows of a file change places.
#pragma once

#include <cstdint>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

struct ContentOrder {
  std::vector<std::uint32_t> rows;    // by a hash of their numbers
  std::vector<std::uint32_t> unique;  // the same without rows that repeat another one
};

[[nodiscard]] ContentOrder content_order(const DenseMatrix& x);

}  // namespace mmo
