// What `mmo deep train` does for a metric by default: the winners of the ablations
// (docs/results_deep.md).
#pragma once

#include "deep/train/training.h"
#include "mmo/rule/fit_rule.h"

namespace mmo::deep {

// λ from decayed counts; τ = ½, whose bounded loss gives up sooner on rows made hopeless by label noise.
// Everything else is TrainSettings' default.
inline void use_defaults(TrainSettings& settings, bool per_label) {
  settings.loss.kind = LossKind::mmo;
  settings.loss.tau = 0.5;
  settings.lambda = default_lambda(per_label);
}

// The rule a training ends with. A λ per label puts each label's own threshold at 0, and a single threshold
// for all would only chase the noise of a few validation rows; every other loss gains from one.
inline RuleKind default_rule(const TrainSettings& settings) {
  return settings.loss.kind == LossKind::mmo && settings.lambda.per_label ? RuleKind::zero : RuleKind::global;
}

}  // namespace mmo::deep
