// What fitting trees will take, known before it starts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mmo/core/table.h"
#include "mmo/eval/evaluate.h"
#include "mmo/learn/trees/boosting.h"
#include "mmo/learn/trees/forest.h"

namespace mmo {

struct TreesCost {
  double seconds = 0;       // on one core of an ordinary machine, including held-out scores
  std::uint64_t bytes = 0;  // in addition to the table
};

[[nodiscard]] TreesCost estimate(const Table& table, const Truth& truth, const ForestOptions& options);
[[nodiscard]] TreesCost estimate(const Table& table, const Truth& truth, std::size_t folds,
                                 const BoostOptions& options);

}  // namespace mmo
