// What `mmo deep train` does for a metric unless told otherwise: the winners of the ablations
// (docs/results_deep.md).
#pragma once

#include "deep/train/training.h"
#include "mmo/rule/fit_rule.h"

namespace mmo::deep {

// λ from decayed counts; τ = ½, whose bounded loss cares less for rows that the labels' noise makes hopeless.
// Everything else is TrainSettings' own.
inline void use_defaults(TrainSettings& settings, bool per_label) {
  settings.loss.kind = LossKind::mmo;
  settings.loss.tau = 0.5;
  settings.lambda = default_lambda(per_label);
}

// The rule that ends a training. A λ per label puts each label's own threshold at 0, and one threshold for
// all of them only follows the chance of a few validation rows; every other loss gains from one.
inline RuleKind default_rule(const TrainSettings& settings) {
  return settings.loss.kind == LossKind::mmo && settings.lambda.per_label ? RuleKind::zero : RuleKind::global;
}

}  // namespace mmo::deep
