// Is one method better than another on the same runs?
#pragma once

#include <span>

namespace mmo {

struct PairedTest {
  double mean_difference = 0;  // mean of a − b
  double p = 1;                // two-sided
};

// Wilcoxon's signed-rank test, exact: the distribution of the rank sum over all 2ⁿ signs; ties get their mean
// rank, zero differences are left out. Runs must pair up.
[[nodiscard]] PairedTest wilcoxon(std::span<const double> a, std::span<const double> b);

[[nodiscard]] double mean(std::span<const double> values);
// Of a sample: n − 1 in the denominator; 0 for fewer than two values.
[[nodiscard]] double standard_deviation(std::span<const double> values);

}  // namespace mmo
