#include "mmo/learn/sub_problem.h"

#include <algorithm>

namespace mmo {

SubProblem::SubProblem(const Problem& full, const Features& encoded, const RowSample& sample)
    : labels(take_rows(*full.labels, sample.rows)), x(take_rows(encoded, sample.rows)) {
  problem.labels = &labels;
  problem.rows_of_label = transpose(labels);
  if (full.unknown != nullptr) {
    unknown = take_rows(*full.unknown, sample.rows);
    problem.unknown = &unknown;
    problem.unknown_rows_of_label = transpose(unknown);
  }
  problem.row_weights = sample.weights;
  if (!full.row_weights.empty()) {
    problem.row_weights.resize(sample.rows.size(), 1.0F);
    for (std::size_t k = 0; k < sample.rows.size(); ++k)
      problem.row_weights[k] *= full.row_weights[sample.rows[k]];
  }
  problem.hold_out = full.hold_out.of_rows(sample.rows);
  problem.label_weights = full.label_weights;
  problem.trainable = full.trainable;
}

namespace {

enum Kind : char { left_out, regular, extra };

std::vector<Kind> mark_rows(const Problem& problem, std::size_t count) {
  constexpr std::size_t least_positives = 10;
  const std::size_t n = problem.rows();
  std::vector<Kind> kind(n, left_out);
  // The k-th row of a fold is taken where k·count/n steps to the next integer.
  const std::vector<std::uint32_t>& fold_of_row = problem.hold_out.fold_of_row();
  std::vector<std::size_t> seen(1 + *std::max_element(fold_of_row.begin(), fold_of_row.end()));
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t k = seen[fold_of_row[i]]++;
    if ((k + 1) * count / n > k * count / n) kind[i] = regular;
  }
  for (std::size_t j = 0; j < problem.label_count(); ++j) {
    const auto rows = problem.rows_of_label.row(j);
    auto positives = static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [&](std::uint32_t i) { return kind[i] != left_out; }));
    for (auto i = rows.begin(); i != rows.end() && positives < least_positives; ++i) {
      if (kind[*i] != left_out) continue;
      kind[*i] = extra;
      ++positives;
    }
  }
  return kind;
}

}  // namespace

RowSample sample_rows(const Problem& problem, std::size_t count) {
  const auto of = [](const std::vector<Kind>& kind, Kind which) {
    return static_cast<std::size_t>(std::count(kind.begin(), kind.end(), which));
  };
  std::vector<Kind> kind = mark_rows(problem, count);
  // Many rare labels: their rows take the place of others, half of them at most.
  if (const std::size_t more = of(kind, extra); more > 0)
    kind = mark_rows(problem, count - std::min(more, count / 2));
  const auto extras = static_cast<double>(of(kind, extra));
  const auto regulars = static_cast<double>(of(kind, regular));
  // A regular row stands for itself and for those left out, an extra one for itself.
  const double stands_for = (static_cast<double>(problem.rows()) - extras) / std::max(regulars, 1.0);
  const double mean = (regulars * stands_for + extras) / (regulars + extras);
  RowSample out;
  for (std::size_t i = 0; i < kind.size(); ++i) {
    if (kind[i] == left_out) continue;
    out.rows.push_back(static_cast<std::uint32_t>(i));
    if (extras > 0) out.weights.push_back(static_cast<float>((kind[i] == regular ? stands_for : 1.0) / mean));
  }
  return out;
}

}  // namespace mmo
