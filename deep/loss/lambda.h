// λ that follows training (paper, Section 5): the metric the network reaches so far decides the costs of its
// next step. Where it is measured, and whether labels share it, is up to the user.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "deep/loss/losses.h"
#include "mmo/core/matrix.h"
#include "mmo/cost/cost.h"
#include "mmo/cost/counted_lambda.h"
#include "mmo/eval/evaluate.h"
#include "mmo/metric/metric.h"

namespace mmo::deep {

enum class LambdaSource {
  batch,       // the paper's: λ ← γ·λ + (1 − γ)·metric(batch)
  counts,      // the metric of counts, which decay with each batch
  validation,  // the metric on validation rows after each epoch
};

struct LambdaSettings {
  LambdaSource source = LambdaSource::counts;
  bool per_label = false;
  double gamma = 0.7;
  CountMemory counts;  // its shrinkage is for labels with a λ each
};

// The defaults of `mmo deep`.
[[nodiscard]] LambdaSettings default_lambda(bool per_label);

[[nodiscard]] LambdaSource parse_lambda_source(const std::string& name);
[[nodiscard]] std::string lambda_source_name(LambdaSource source);

class LambdaTracker {
 public:
  LambdaTracker(Metric metric, std::size_t labels, const LambdaSettings& settings);

  void update(const ScoredBatch& batch);
  // Called after an epoch; only the source `validation` uses it.
  void validate(const LabelMatrix& predicted, const Truth& truth);

  [[nodiscard]] const std::vector<double>& lambda() const { return lambda_; }  // one, or one per label
  [[nodiscard]] const std::vector<LabelCost>& costs() const { return costs_; }

  // Everything a resumed run needs.
  [[nodiscard]] std::vector<double> state() const;
  void restore(std::span<const double> state);

 private:
  void follow_batch(const ScoredBatch& batch);
  void share(double value);
  void set_costs();

  Metric metric_;
  Metric seen_;  // the metric with 0/0 left out: labels absent from the counts say nothing
  std::size_t labels_;
  LambdaSettings settings_;
  std::vector<double> lambda_;
  std::vector<Counts> fresh_;   // of the last batch, per label
  std::vector<Counts> counts_;  // decayed, per label
  RowRatios rows_;              // decayed, where the metric is averaged over rows
  std::vector<LabelCost> costs_;
};

}  // namespace mmo::deep
