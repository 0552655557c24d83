// λ followed during training instead of searched (paper, Section 5, single pass): after every batch
//   λ ← γ·λ + (1 − γ)·metric(batch),  γ = 0.7.
// Macro needs a λ per label, and a batch holds too few positives of a rare label to measure one (0/0 = 0
// would pull λ down): there λ_j follows decayed counts (counted_lambda.h).
#pragma once

#include <span>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/cost/cost.h"
#include "mmo/eval/evaluate.h"
#include "mmo/metric/metric.h"

namespace mmo {

class EmaLambda {
 public:
  EmaLambda(const Metric& metric, std::size_t labels);

  void update(const LabelMatrix& predicted, const Truth& truth);
  [[nodiscard]] const std::vector<double>& lambda() const { return lambda_; }
  [[nodiscard]] std::vector<LabelCost> costs() const { return label_costs(metric_, labels_, lambda_); }

 private:
  const Metric& metric_;
  std::size_t labels_;
  std::vector<double> lambda_;
  std::vector<Counts> counts_;  // macro and weighted: decayed, per label
};

}  // namespace mmo
