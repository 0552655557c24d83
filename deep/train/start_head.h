// Where a head starts: features standardised, the biases at the labels' log-odds. Processes share the work.
#pragma once

#include "deep/train/training.h"

namespace mmo::deep {

void start_head(Network& network, const TrainData& data, Communicator& processes = alone());

}  // namespace mmo::deep
