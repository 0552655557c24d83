// Which decision rule a metric gets, fitted on out-of-fold logits z (calibrated: σ(z) ≈ posterior).
#pragma once

#include <string>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/core/short_lists.h"
#include "mmo/eval/evaluate.h"
#include "mmo/metric/metric.h"
#include "mmo/rule/decision_rule.h"

namespace mmo {

enum class RuleKind {
  automatic,  // micro: blend; macro, weighted: curves; samples: expected
  zero,       // z ≥ 0, nothing tuned (binary relevance)
  global,     // one threshold for all labels (Koyejo et al., Algorithm 1)
  per_label,  // each label's own empirical optimum (Macro-Thres)
  curves,     // pooled rank curves
  blend,      // micro: mean of the rank curves' and the global threshold
  expected,   // samples: the k labels that maximise the ratio of expected counts
};

[[nodiscard]] RuleKind parse_rule(const std::string& name);
[[nodiscard]] std::string rule_name(RuleKind kind);
[[nodiscard]] RuleKind resolve_rule(RuleKind kind, const Metric& metric);

struct FittedRule {
  DecisionRule rule;
  RuleKind kind = RuleKind::automatic;  // resolved
  double value = 0;                     // the metric on the scores it was fitted on
};

struct RuleOptions {
  RuleKind kind = RuleKind::automatic;
  int min_labels = -1;          // −1: 0 or 1, whichever is better on these scores
  std::size_t max_labels = 0;   // no row gets more; 0 = no limit
  std::vector<char> trainable;  // labels that may be predicted; empty = all
};

[[nodiscard]] FittedRule fit_rule(const Metric& metric, const DenseMatrix& scores, const Truth& truth,
                                  const RuleOptions& options);
// The same where only the best labels of each row are known.
[[nodiscard]] FittedRule fit_rule(const Metric& metric, const ShortLists& lists, const Truth& truth,
                                  const RuleOptions& options);

}  // namespace mmo
