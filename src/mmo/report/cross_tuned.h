// Tuning thresholds on the very rows they are judged on would flatter the baseline. Here every row is decided
// by thresholds tuned on other rows: each fold is left out in turn.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/eval/evaluate.h"
#include "mmo/metric/metric.h"

namespace mmo {

struct CrossTuned {
  LabelMatrix global;     // decisions by one threshold for all labels (Koyejo et al., Algorithm 1)
  LabelMatrix per_label;  // by one threshold per label (Macro-Thres)
  // Of each label's own threshold, over the folds left out: how much it depends on the rows it was tuned on.
  // NaN if a fold's is infinite.
  std::vector<double> spread;
};

// `fold_of_row` counts from 0; every fold has rows, and there are at least two.
[[nodiscard]] CrossTuned cross_tuned(const Metric& metric, const DenseMatrix& scores, const Truth& truth,
                                     std::span<const std::uint32_t> fold_of_row);

}  // namespace mmo
