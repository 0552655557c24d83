#include "mmo/learn/problem.h"

#include <algorithm>

namespace mmo {

std::uint64_t feature_bytes(const Features& x) {
  if (const auto* sparse = std::get_if<CsrMatrix>(&x)) return sparse->nonzeros() * 8 + sparse->rows * 8;
  return feature_rows(x) * feature_cols(x) * 4;
}

std::vector<std::uint32_t> spread_labels(const Problem& problem, std::size_t most) {
  std::vector<std::uint32_t> by_frequency = problem.trainable;
  std::stable_sort(by_frequency.begin(), by_frequency.end(), [&](std::uint32_t a, std::uint32_t b) {
    return problem.rows_of_label.row(a).size() > problem.rows_of_label.row(b).size();
  });
  const std::size_t count = std::min(most, by_frequency.size());
  std::vector<std::uint32_t> out;
  out.reserve(count);
  for (std::size_t k = 0; k < count; ++k) out.push_back(by_frequency[k * by_frequency.size() / count]);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace mmo
