// From metric to costs: at a given λ, γ = λβ − α boils down to two numbers per label for training (paper,
// Section 4.1, eq:target-equiv-2): the extra cost of a false negative over a true positive and of a false
// positive over a true negative.
#pragma once

#include <cstddef>
#include <vector>

#include "mmo/metric/metric.h"

namespace mmo {

// F1: (2 − λ, λ). Jaccard: (1, λ). A negative cost means that the wrong prediction is the cheap one.
struct LabelCost {
  double false_negative = 1;  // a = −2(γ¹ + γ³)
  double false_positive = 1;  // b = 2(γ³ − γ¹)
};

[[nodiscard]] LabelCost label_cost(const CountRatio& ratio, double lambda);
// One per label; `lambda` has one entry (micro, samples) or one per label (macro, weighted).
[[nodiscard]] std::vector<LabelCost> label_costs(const Metric& metric, std::size_t labels,
                                                 const std::vector<double>& lambda);

// Σ over cells of the linearised loss ℓ^λ = λℓ_β − ℓ_α (eq:target-equiv).
[[nodiscard]] double linearised_loss(const CountRatio& ratio, double lambda, const Counts& counts);

}  // namespace mmo
