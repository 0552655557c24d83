#include "mmo/report/significance.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace mmo {

double mean(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double square = 0;
  for (const double v : values) square += (v - centre) * (v - centre);
  return std::sqrt(square / static_cast<double>(values.size() - 1));
}

PairedTest wilcoxon(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  PairedTest test;
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i) {
    test.mean_difference += (a[i] - b[i]) / static_cast<double>(a.size());
    if (a[i] != b[i]) differences.push_back(a[i] - b[i]);
  }
  if (differences.empty()) return test;
  std::sort(differences.begin(), differences.end(),
            [](double x, double y) { return std::abs(x) < std::abs(y); });
  // Twice the mid-ranks: those are whole numbers.
  const std::size_t n = differences.size();
  std::vector<std::size_t> ranks(n);
  for (std::size_t i = 0; i < n;) {
    std::size_t end = i;
    while (end < n && std::abs(differences[end]) == std::abs(differences[i])) ++end;
    for (std::size_t k = i; k < end; ++k) ranks[k] = i + 1 + end;
    i = end;
  }
  const std::size_t total = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::size_t positive = 0;
  for (std::size_t i = 0; i < n; ++i) positive += differences[i] > 0 ? ranks[i] : 0;
  // chance[s]: probability that the ranks with a positive sign sum to s.
  std::vector<double> chance(total + 1);
  chance[0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t s = total + 1; s-- > 0;)
      chance[s] = 0.5 * (chance[s] + (s >= rank ? chance[s - rank] : 0));
  }
  const std::size_t extreme = std::min(positive, total - positive);
  double tail = 0;
  for (std::size_t s = 0; s <= extreme; ++s) tail += chance[s];
  test.p = std::min(1.0, 2 * tail);
  return test;
}

}  // namespace mmo
