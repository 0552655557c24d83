// What `mmo deep train` does for a metric unless told otherwise: the winners of the ablations
// (docs/results_deep.md).
#pragma once

#include "deep/train/training.h"

namespace mmo::deep {

// λ from decayed counts; τ = ½, whose bounded loss cares less for rows that the labels' noise makes hopeless.
// Everything else is TrainSettings' own.
inline void use_defaults(TrainSettings& settings, bool per_label) {
  settings.loss.kind = LossKind::mmo;
  settings.loss.tau = 0.5;
  settings.lambda = default_lambda(per_label);
}

}  // namespace mmo::deep
