// Decisions as numbers, for callers that want one signed value per label instead of a set.
#pragma once

#include <span>

#include "mmo/core/matrix.h"
#include "mmo/rule/decision_rule.h"

namespace mmo {

// margin_j > 0 ⇔ decide_row predicts label j, and never 0: |margin| ≥ least_margin, so that σ(margin), even
// rounded to 32 bits, is above or below ½. Thresholds alone give z_j − t_j. Where that does not divide the
// labels (a limit on their number, expected counts), the row has a threshold of its own: halfway between the
// last label taken and the first left out. Labels that are never (always) predicted get −(+)largest_logit.
inline constexpr float least_margin = 1e-6F;
void margin_row(const DecisionRule& rule, std::span<const float> scores, std::span<float> out);
[[nodiscard]] DenseMatrix margins(const DecisionRule& rule, const DenseMatrix& scores);

}  // namespace mmo
