// Rows as trees see them: numbers and categories as they came, nothing imputed or one-hot coded.
#pragma once

#include <cstdint>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

struct Table {
  // n × d. A category is its index, NaN a missing value (or a category that training never saw); anything a
  // sparse row leaves out is 0.
  Features values;
  std::vector<std::uint32_t> categories;  // of each column: how many, 0 = a number; empty = numbers only

  [[nodiscard]] bool nominal(std::size_t k) const { return k < categories.size() && categories[k] > 0; }
};

}  // namespace mmo
