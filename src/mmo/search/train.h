// From a data set and a metric to a model: the one entry point of `mmo train`, Python and the experiments.
#pragma once

#include <string>
#include <vector>

#include "mmo/data/dataset.h"
#include "mmo/model/model.h"
#include "mmo/search/train_options.h"

namespace mmo {

struct TrainResult {
  Model model;
  std::vector<std::string> warnings;
};

// Throws UsageError, DataError, Interrupted. The choices made, their out-of-fold values and spreads are in
// model.history (JSON), which `mmo train` prints as one block.
[[nodiscard]] TrainResult train(const Dataset& data, const TrainOptions& options);

}  // namespace mmo
