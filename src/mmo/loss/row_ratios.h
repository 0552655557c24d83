// What each row of a batch reaches at threshold 0, for λ of metrics averaged over rows.
#pragma once

#include "mmo/cost/counted_lambda.h"
#include "mmo/loss/batch.h"

namespace mmo {

// Of "score ≥ 0" against dense targets: soft ones count as present above ½, NaN not at all. A row of 0/0 has
// the value `zero_division`; NaN leaves it out.
[[nodiscard]] RowRatios row_ratios(const Metric& metric, const ScoreBatch& batch, double zero_division);

}  // namespace mmo
