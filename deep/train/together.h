// What the processes of one training run hand each other.
#pragma once

#include <vector>

#include "deep/train/optimizer.h"
#include "mmo/comm/communicator.h"

namespace mmo::deep {

// The scores of all `rows` rows of a batch, `mine_ML` being this process's (undefined if it has none).
[[nodiscard]] Tensor gather_scores(const Tensor& mine_ML, std::size_t rows, std::size_t labels,
                                   Communicator& processes);

// Every trained tensor's gradient becomes the sum over processes; one that no process has stays undefined.
// `running` statistics become the mean over processes, weighted by `row_share`: the share of the step's rows
// that this process has seen. One message for all.
void sum_gradients(const std::vector<Optimizer::Slot>& slots, const std::vector<Tensor>& running,
                   double row_share, Communicator& processes);

// What the first process says: only it may look at files that it writes.
[[nodiscard]] bool as_first_says(bool value, Communicator& processes);

}  // namespace mmo::deep
