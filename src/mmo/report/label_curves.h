// What other thresholds would do to a label: exact counts at a few of them. Enough to draw its
// precision-recall curve and to recompute any metric of label counts for any choice of these thresholds.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/eval/evaluate.h"

namespace mmo {

struct CurvePoint {
  float threshold = 0;    // the label is predicted where score ≥ threshold
  double tp = 0, fp = 0;  // weighted by row
};

// For each label up to `most_points` thresholds, descending, evenly spaced in recall, the highest and
// lowest positive included; each is the shortest decimal number with the same counts. `own_thresholds`
// (one per label, or empty) are added unchanged where finite. A label without positives has at most its
// own.
[[nodiscard]] std::vector<std::vector<CurvePoint>> label_curves(const DenseMatrix& scores, const Truth& truth,
                                                                std::size_t most_points,
                                                                std::span<const float> own_thresholds);

}  // namespace mmo
