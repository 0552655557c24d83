// What the processes of one training run exchange.
#pragma once

#include <vector>

#include "deep/train/optimizer.h"
#include "mmo/comm/communicator.h"

namespace mmo::deep {

// The scores of all `rows` rows of a batch; `mine_ML` are this process's (undefined if it has none).
[[nodiscard]] Tensor gather_scores(const Tensor& mine_ML, std::size_t rows, std::size_t labels,
                                   Communicator& processes);

// Replaces every trained tensor's gradient by the sum over processes; one that no process has stays
// undefined. `running` statistics become the mean over processes, weighted by `row_share`: the share of the
// step's rows that this process has seen. One message for everything.
void sum_gradients(const std::vector<Optimizer::Slot>& slots, const std::vector<Tensor>& running,
                   double row_share, Communicator& processes);

// The first process's answer: only it may look at files that it writes.
[[nodiscard]] bool as_first_says(bool value, Communicator& processes);

}  // namespace mmo::deep
