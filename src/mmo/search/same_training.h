// Processes that train together must do the same: the same version, options and data.
#pragma once

#include <string>

#include "mmo/search/prepare_training.h"
#include "mmo/search/train_options.h"

namespace mmo {

// What is trained on what, in one line that another run has in common only with the same work.
[[nodiscard]] std::string describe_work(const TrainOptions& options, const Training& training);

// Throws UsageError naming the process that differs and in what.
void require_same_training(const TrainOptions& options, const Training& training);

}  // namespace mmo
