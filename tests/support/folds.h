// Folds for tests: row i is in fold i mod `folds`.
#pragma once

#include <cstdint>
#include <vector>

#include "mmo/learn/hold_out.h"

namespace mmo {

inline HoldOut folds_in_turn(std::size_t rows, std::size_t folds) {
  std::vector<std::uint32_t> fold_of_row;
  for (std::size_t i = 0; i < rows; ++i) fold_of_row.push_back(static_cast<std::uint32_t>(i % folds));
  return HoldOut::by_folds(std::move(fold_of_row), folds);
}

}  // namespace mmo
