#include "mmo/learn/problem.h"

#include <algorithm>

namespace mmo {

std::size_t enough_folds(std::span<const std::uint32_t> fold_of_row, std::size_t folds) {
  constexpr std::size_t enough_rows = 3000;
  std::vector<std::size_t> rows(folds);
  for (const std::uint32_t fold : fold_of_row) {
    if (fold < folds) ++rows[fold];
  }
  std::size_t enough = 0;
  for (std::size_t held_out = 0; enough < folds && held_out < enough_rows; ++enough) held_out += rows[enough];
  return enough;
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
