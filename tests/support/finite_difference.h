// Derivatives from values alone, for checking gradients.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

namespace mmo {

using ScalarField = std::function<double(const std::vector<double>&)>;

// 4th-order central difference: (−f(x+2d) + 8f(x+d) − 8f(x−d) + f(x−2d)) / (12d). With d = 1e-3 and values of
// order 1 the error is about d⁴ + 1e-16/d ≈ 1e-12.
inline double derivative(const ScalarField& f, std::vector<double> x, std::size_t j, double step = 1e-3) {
  const double centre = x[j];
  const auto at = [&](double offset) {
    x[j] = centre + offset;
    return f(x);
  };
  return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
}

inline std::vector<double> gradient_of(const ScalarField& f, const std::vector<double>& x,
                                       double step = 1e-3) {
  std::vector<double> gradient(x.size());
  for (std::size_t j = 0; j < x.size(); ++j) gradient[j] = derivative(f, x, j, step);
  return gradient;
}

}  // namespace mmo
