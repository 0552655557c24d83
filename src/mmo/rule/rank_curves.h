// Thresholds for rare and frequent labels alike, from pooled rank curves of out-of-fold scores.
//   h_j(r) = share of label j's positives with at most r·n⁺ negatives above them, smoothed in log r and
//   shrunk towards the curve of labels of similar frequency: (n⁺·own + s·pool)/(n⁺ + s).
// r stays ≤ 30, so that no label can become "always". A point (h, r) of a curve stands for the counts
//   TP = n⁺h, FP = n⁺r, FN = n⁺(1 − h), TN = n⁻ − n⁺r.
#pragma once

#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/core/short_lists.h"
#include "mmo/eval/evaluate.h"
#include "mmo/metric/metric.h"
#include "mmo/rule/label_scores.h"

namespace mmo {

class RankCurves {
 public:
  RankCurves(const DenseMatrix& scores, const Truth& truth);
  // Positives that no list holds are below all negatives.
  RankCurves(const ShortLists& lists, const Truth& truth);

  // macro and weighted: each label's own ratio, with one more error in the denominator as a guard for rare
  // labels; the maximum over r is taken softly.
  [[nodiscard]] std::vector<float> maximise_each(const Metric& metric) const;
  // micro: a·h − b·r at the λ that is its own result (Dinkelbach's fixed point).
  struct MicroResult {
    std::vector<float> thresholds;
    double lambda = 0;
  };
  [[nodiscard]] MicroResult maximise_sum(const Metric& metric, std::span<const float> label_weights) const;

 private:
  struct Label {
    double positives = 0, negatives = 0;
    std::vector<float> curve;          // smoothed own h at the grid
    std::vector<float> top_negatives;  // descending
    std::vector<double> middle;        // weight above each of them, half its own included
  };
  void add(Label& label, const LabelScores& scores);
  void pool();
  [[nodiscard]] std::vector<float> shrunken(const Label& label, double strength) const;
  [[nodiscard]] float threshold_at(const Label& label, double r) const;

  std::vector<Label> labels_;
  float floor_;  // the threshold of a label whose negatives were never seen: always, or where no list holds
                 // any, the lists' end
  std::vector<std::vector<float>> pools_;  // by frequency bin
};

}  // namespace mmo
