// Orders rows by their contents and nothing else: the first few are a random sample, and it stays the same if
// the rows of a file change places.
#pragma once

#include <cstdint>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

struct ContentOrder {
  std::vector<std::uint32_t> rows;    // by a hash of their values
  std::vector<std::uint32_t> unique;  // the same, leaving out rows that repeat another
};

[[nodiscard]] ContentOrder content_order(const DenseMatrix& x);

}  // namespace mmo
