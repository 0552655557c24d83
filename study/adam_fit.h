// A linear model per label by mini-batch Adam with the settings the paper prints (app:linear-benchmarks):
// rate 1e-3, batches of 128, weight decay 1e-5. Scores are the paper's h: label j is predicted where h_j ≥
// 0.
#pragma once

#include <cstdint>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/cost/cost.h"

namespace mmo::study {

struct Part {
  Features x;
  LabelMatrix y;
};

struct SurrogateLoss {
  std::vector<LabelCost> costs;  // one per label; both 1 = logistic regression
  double tau = 0;
  bool joint = false;
};

// (d + 1) × l weights, the bias last; they start at `start`, or at 0 if that is empty. The paper does not
// print its number of epochs.
[[nodiscard]] DenseMatrix fit_adam(const Part& train, const SurrogateLoss& loss, std::size_t epochs,
                                   std::uint64_t seed, const DenseMatrix& start = {});

[[nodiscard]] DenseMatrix score(const Features& x, const DenseMatrix& weights);
[[nodiscard]] LabelMatrix predict_at_zero(const DenseMatrix& scores);

}  // namespace mmo::study
