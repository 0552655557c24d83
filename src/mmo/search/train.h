// From a data set and a metric to a model: the one entry point of `mmo train`, Python and the experiments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mmo/data/dataset.h"
#include "mmo/model/model.h"
#include "mmo/search/train_options.h"

namespace mmo {

// What the choices were made on: rows scored by fits that had not seen them.
struct HeldOutScores {
  DenseMatrix scores;               // as the decision rule takes them
  std::vector<std::uint32_t> rows;  // of the training data, then of the validation file
  std::vector<std::uint32_t> fold_of_row;
};

struct TrainResult {
  Model model;
  std::vector<std::string> warnings;
  std::optional<HeldOutScores>
      held_out;  // where TrainOptions asks; not where the search saw a sample of rows
};

// Throws UsageError, DataError, Interrupted. The choices made, their out-of-fold values and spreads are in
// model.history (JSON), which `mmo train` prints as one block.
[[nodiscard]] TrainResult train(const Dataset& data, const TrainOptions& options);

}  // namespace mmo
