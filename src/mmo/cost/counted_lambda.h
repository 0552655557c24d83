// λ that follows training (paper, Section 5, single pass; deviation: counts instead of batch values). A batch
// holds too few positives of a rare label for a value of its own (0/0 = 0 would pull λ down), so counts are
// kept with a fading memory:
//   c ← memory·c + fresh,   λ = N(c)/(D(c) + n₀),
// n₀ cells of error shrink the λ of labels that have hardly been seen.
#pragma once

#include <span>

#include "mmo/metric/metric.h"

namespace mmo {

// `fresh`, `kept` and `lambda` have one entry (all labels together) or one per label. Where D + n₀ is 0, λ
// stays.
void follow_counts(const Metric& metric, std::span<const Counts> fresh, double memory, double shrinkage,
                   std::span<Counts> kept, std::span<double> lambda);

}  // namespace mmo
