// Several learners' logits as one: z_j = Σ_k w_kj·z_kj + c_j with w ≥ 0, by the log-loss of held-out scores.
// Labels of similar frequency share weights, shrunk towards those of all labels: what is best for common
// labels need not be best for rare ones, and rare ones alone have too little data.
#pragma once

#include <span>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

struct Blend {
  DenseMatrix weights;         // w: learners × labels; a row of zeros = this learner adds nothing
  std::vector<float> shift;    // c: per label
  std::vector<double> pooled;  // the weights of all labels together
  double log_loss = 0;         // mean over cells

  [[nodiscard]] bool uses(std::size_t learner) const { return pooled[learner] > 0; }
};

// `scores`: calibrated held-out logits of the same rows by each learner. `unknown` may be null;
// `row_weights` empty = all 1.
[[nodiscard]] Blend fit_blend(std::span<const DenseMatrix> scores, const LabelMatrix& labels,
                              const LabelMatrix* unknown, std::span<const float> row_weights);

[[nodiscard]] DenseMatrix blend_scores(const Blend& blend, std::span<const DenseMatrix> scores);

}  // namespace mmo
