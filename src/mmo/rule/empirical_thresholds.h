// Thresholds that maximise the metric on given scores, as they are: one for all labels (Koyejo et al. 2015,
// Algorithm 1) or one per label (their Macro-Thres). No shrinkage: the baselines, and the first estimate of
// the metric that the searches start from.
#pragma once

#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/core/short_lists.h"
#include "mmo/eval/evaluate.h"
#include "mmo/metric/metric.h"

namespace mmo {

struct GlobalThreshold {
  float threshold = 0;
  double value = 0;  // the metric there
};

// Candidates are quantiles of the positive cells' scores and +infinity (predict nothing): the optimum of a
// metric that rewards true positives is at one of them.
[[nodiscard]] GlobalThreshold best_global_threshold(const Metric& metric, const DenseMatrix& scores,
                                                    const Truth& truth);
[[nodiscard]] GlobalThreshold best_global_threshold(const Metric& metric, const ShortLists& lists,
                                                    const Truth& truth);

// Up to `count` quantiles of the positive cells' scores, ascending, without repeats.
[[nodiscard]] std::vector<float> threshold_candidates(const DenseMatrix& scores, const Truth& truth,
                                                      std::size_t count);
// The metric at each of the ascending thresholds, used for all labels alike.
[[nodiscard]] std::vector<double> metric_at_thresholds(const Metric& metric, const DenseMatrix& scores,
                                                       const Truth& truth,
                                                       const std::vector<float>& thresholds);

// Each label's ratio maximised on its own; +infinity for a label without positives.
struct LabelThreshold {
  float threshold = 0;
  double value = 0;  // the label's ratio there
};
[[nodiscard]] std::vector<LabelThreshold> best_label_thresholds(const Metric& metric,
                                                                const DenseMatrix& scores,
                                                                const Truth& truth);
[[nodiscard]] std::vector<LabelThreshold> best_label_thresholds(const Metric& metric, const ShortLists& lists,
                                                                const Truth& truth);

}  // namespace mmo
