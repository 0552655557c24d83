// The surrogates of rows of logits z = 2h in double precision, with value, gradient and curvature by z, as
// second-order trainers (boosting) need. batch.h is the fast first-order version.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mmo/cost/cost.h"

namespace mmo {

// rows × labels, row-major. Targets 0 … 1: soft ones mix the loss of a present and an absent label; NaN =
// unknown, left out of the row altogether.
struct LogitRows {
  std::size_t rows = 0, labels = 0;
  std::span<const double> logits, targets;
};

struct LogitLoss {
  double tau = 0;
  bool joint = false;  // the paper's coupling; else each label by itself
};

// The loss of each row. Gradient and curvature are written where the spans are not empty; curvature is not
// available for the joint loss at τ > 0 (its Hessian is not diagonal) and throws UsageError there. Polls
// throw_if_cancelled.
[[nodiscard]] std::vector<double> surrogate_of_logits(const LogitRows& batch,
                                                      std::span<const LabelCost> costs, const LogitLoss& loss,
                                                      std::span<double> gradient = {},
                                                      std::span<double> curvature = {});

}  // namespace mmo
