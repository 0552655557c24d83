// Two-parameter logistic (Platt) map z = a·s + b, shared by all labels: it puts the scores of different
// losses on one scale without giving rare labels parameters they would overfit.
#pragma once

#include <span>

#include "mmo/core/matrix.h"

namespace mmo {

struct Calibration {
  double scale = 1, shift = 0;
  double log_loss = 0;      // mean over cells, at the optimum
  bool informative = true;  // false: the scores do not rank positives above negatives
};

// Minimises Σ softplus(−t·(a·s + b)) over all known cells by Newton steps from `start`.
[[nodiscard]] Calibration fit_calibration(const DenseMatrix& scores, const LabelMatrix& labels,
                                          const LabelMatrix* unknown, std::span<const float> row_weights,
                                          const Calibration& start = {});

void apply_calibration(const Calibration& calibration, DenseMatrix& scores);

}  // namespace mmo
