// What fitting trees will take, told before it starts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mmo/core/table.h"
#include "mmo/eval/evaluate.h"
#include "mmo/learn/trees/boosting.h"
#include "mmo/learn/trees/forest.h"

namespace mmo {

struct TreesCost {
  double seconds = 0;       // on one core of a usual machine, scores of rows not seen included
  std::uint64_t bytes = 0;  // beside the table
};

[[nodiscard]] TreesCost estimate(const Table& table, const Truth& truth, const ForestOptions& options);
[[nodiscard]] TreesCost estimate(const Table& table, const Truth& truth, std::size_t folds,
                                 const BoostOptions& options);

}  // namespace mmo
