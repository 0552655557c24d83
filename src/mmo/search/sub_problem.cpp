#include "mmo/search/sub_problem.h"

#include <algorithm>

namespace mmo {

SubProblem::SubProblem(const Problem& full, const Features& encoded, const std::vector<std::uint32_t>& rows)
    : labels(take_rows(*full.labels, rows)), x(take_rows(encoded, rows)) {
  problem.labels = &labels;
  problem.rows_of_label = transpose(labels);
  if (full.unknown != nullptr) {
    unknown = take_rows(*full.unknown, rows);
    problem.unknown = &unknown;
    problem.unknown_rows_of_label = transpose(unknown);
  }
  for (const std::uint32_t i : rows) {
    if (!full.row_weights.empty()) problem.row_weights.push_back(full.row_weights[i]);
    problem.fold_of_row.push_back(full.fold_of_row[i]);
  }
  problem.label_weights = full.label_weights;
  problem.folds = full.folds;
  problem.trainable = full.trainable;
}

std::vector<std::uint32_t> sample_rows(const Problem& problem, std::size_t count) {
  constexpr std::size_t least_positives = 10;
  const std::size_t n = problem.rows();
  std::vector<char> taken(n, 0);
  // The k-th row of a fold is taken where k·count/n steps to the next integer.
  std::vector<std::size_t> seen(1 +
                                *std::max_element(problem.fold_of_row.begin(), problem.fold_of_row.end()));
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t k = seen[problem.fold_of_row[i]]++;
    taken[i] = (k + 1) * count / n > k * count / n ? 1 : 0;
  }
  for (std::size_t j = 0; j < problem.label_count(); ++j) {
    const auto rows = problem.rows_of_label.row(j);
    auto positives = static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [&](std::uint32_t i) { return taken[i] != 0; }));
    for (auto i = rows.begin(); i != rows.end() && positives < least_positives; ++i) {
      if (taken[*i] != 0) continue;
      taken[*i] = 1;
      ++positives;
    }
  }
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < n; ++i) {
    if (taken[i] != 0) out.push_back(static_cast<std::uint32_t>(i));
  }
  return out;
}

}  // namespace mmo
