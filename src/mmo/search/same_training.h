// Processes that train together must do the same: the same version, options and data.
#pragma once

#include "mmo/search/prepare_training.h"
#include "mmo/search/train_options.h"

namespace mmo {

// Throws UsageError naming the process that differs and in what.
void require_same_training(const TrainOptions& options, const Training& training);

}  // namespace mmo
