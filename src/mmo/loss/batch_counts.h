// What a batch of scores would get right and wrong at threshold 0, for a λ that follows training.
#pragma once

#include <span>

#include "mmo/loss/batch.h"
#include "mmo/metric/metric.h"

namespace mmo {

// TP, FP, FN, TN of "score ≥ 0" against dense targets; soft targets count in part, NaN not at all. `out` has
// one entry for all labels together, or one per label. Ignores row weights.
void batch_counts(const ScoreBatch& batch, std::span<Counts> out);

// The same for each row separately, one entry each; soft targets count as present above ½.
void row_counts(const ScoreBatch& batch, std::span<Counts> out);

}  // namespace mmo
