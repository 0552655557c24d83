// The paper's constants and guarantees for a data set and a metric, and whether they are any use.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "mmo/data/dataset.h"
#include "mmo/metric/metric.h"

namespace mmo::study {

// For one problem: all labels together (micro, samples), or the label with the median gap (macro, weighted:
// the paper's case l = 1 for each label). Logarithms are to base 10.
struct BoundsReport {
  Metric metric;
  std::size_t examples = 0, labels = 0;
  std::size_t problems = 1;  // macro, weighted: one per trained label
  double delta = 0;          // the guarantee fails with at most this probability
  double lambda = 0;         // where the costs are taken: a plain fit's out-of-fold value
  Range lambda_range;
  double weight_norm = 0, input_norm = 0;  // W, X of that fit, in the paper's scale of scores
  double beta_low = 0, beta_high = 0;      // inf and sup of E[ℓ_β] over all predictions
  double net = 0;                          // N_λ
  double log_gamma = 0;                    // log Γ(1): the factor of the consistency bound, joint loss
  double log_epsilon_joint = 0;            // log ε_m, the paper's joint loss
  double epsilon = 0;                      // ε_m, our independent loss
  double bisection_step = 0;               // ε of Algorithm 3 at that ε_m
  double bisection_gap = 0, scan_gap = 0;  // guaranteed distance to the best metric
  double examples_needed = 0;              // rows at which the scan's gap would drop below 0.1
  bool informative = false;                // the scan's gap is smaller than the metric's range
};

// Fits a plain model (binary relevance) to get W and X. Throws what train() throws.
[[nodiscard]] BoundsReport compute_bounds(const Dataset& data, const Metric& metric, double delta,
                                          std::uint64_t seed);

[[nodiscard]] nlohmann::ordered_json bounds_json(const BoundsReport& report);
[[nodiscard]] std::string bounds_text(const BoundsReport& report);

}  // namespace mmo::study
