// The surrogates of a whole batch of scores in float32, for deep training and benchmarks. One pass
// over the scores, plus one over the targets if they are dense; parallel over fixed blocks of
// rows.
#pragma once

#include <cstddef>
#include <span>

#include "mmo/core/matrix.h"
#include "mmo/cost/cost.h"

namespace mmo {

// rows × labels, row-major. Targets are either sparse (`labels`) or dense (`targets`, 0 … 1, soft targets mix
// the loss of a present and an absent label; NaN = unknown). Pointers are not owned.
struct ScoreBatch {
  std::size_t rows = 0;
  std::size_t labels_count = 0;
  std::span<const float> scores;
  const LabelMatrix* labels = nullptr;
  std::span<const float> targets;
  const LabelMatrix* unknown = nullptr;  // sparse targets only: cells without loss or gradient
  std::span<const float> row_weights;    // empty = all 1
  bool logits = false;                   // scores are z = 2h, and the gradient is by z too
};

enum class Reduction {
  sum,   // Σ over rows of weight × loss
  mean,  // the sum over the weight of all known cells
};

// surrogate_joint of every row (κ = 0: independent, κ = 1: the paper's coupling), costs per label. Writes the
// gradient of the reduced value if the span is not empty. Accurate to float32 for |score| ≤ 1e4: costs and
// cross term are kept apart, sums are in double.
double batch_surrogate(const ScoreBatch& batch, std::span<const LabelCost> costs, double kappa,
                       Reduction reduction, std::span<float> gradient = {});

// surrogate_independent of every row, dense targets only, for the τ whose powers are cheap: 0, ½ and 1.
// Others: logit_rows.h.
[[nodiscard]] constexpr bool is_fast_tau(double tau) { return tau == 0 || tau == 0.5 || tau == 1; }
double batch_independent(const ScoreBatch& batch, std::span<const LabelCost> costs, double tau,
                         Reduction reduction, std::span<float> gradient = {});

}  // namespace mmo
