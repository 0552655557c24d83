// Which ratios can be a metric: the denominator's sign must not depend on what is predicted.
#pragma once

#include <string>

#include "mmo/metric/metric.h"

namespace mmo {

// Makes every denominator non-negative (paper, Section 3.2: an everywhere negative one is negated together
// with its numerator) and rounds coefficients that are 0 up to rounding to 0. `source` names the metric in
// messages. Throws UsageError when
//   a denominator is 0 for every prediction, or positive for some predictions and negative for others;
//   the value can become infinite whatever the data (denominator 0, numerator not);
//   the value is the same whatever is predicted.
// Micro and samples averages add up the denominators of all labels, so these share one sign.
//   a coefficient is too large or too small to count with (refuse_extreme_coefficients).
void check_ratios(Metric& metric, const std::string& source);

// Throws UsageError unless every coefficient is 0 or between 1e-30 and 1e30, so no count, mean or spread
// overflows.
void refuse_extreme_coefficients(const Metric& metric, const std::string& source);

}  // namespace mmo
