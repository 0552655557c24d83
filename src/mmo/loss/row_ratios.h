// What each row of a batch scores at threshold 0, for the λ of metrics averaged over rows.
#pragma once

#include "mmo/cost/counted_lambda.h"
#include "mmo/loss/batch.h"

namespace mmo {

// "score ≥ 0" against dense targets: soft ones count as present above ½, NaN not at all. A 0/0 row has the
// value `zero_division`; NaN leaves the row out.
[[nodiscard]] RowRatios row_ratios(const Metric& metric, const ScoreBatch& batch, double zero_division);

}  // namespace mmo
