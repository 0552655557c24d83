#include "mmo/learn/many/held_out_lists.h"

#include <algorithm>

#include "mmo/core/parallel.h"

namespace mmo {
namespace {

std::span<const std::uint32_t> unknown_of(const Problem& problem, std::size_t row) {
  return problem.unknown != nullptr ? problem.unknown->row(row) : std::span<const std::uint32_t>{};
}

std::vector<std::uint32_t> rows_where(const Problem& problem, std::int32_t fold, bool inside) {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const bool is_in = fold >= 0 && problem.hold_out.fold_of_row()[i] == static_cast<std::uint32_t>(fold);
    if (is_in == inside) out.push_back(static_cast<std::uint32_t>(i));
  }
  return out;
}

LabelMatrix learned_labels(const Problem& problem, std::span<const std::uint32_t> rows) {
  std::vector<char> trainable(problem.label_count());
  for (const std::uint32_t j : problem.trainable) trainable[j] = 1;
  LabelMatrix out;
  out.cols = problem.label_count();
  std::vector<std::uint32_t> own;
  for (const std::uint32_t i : rows) {
    const auto unknown = unknown_of(problem, i);
    own.clear();
    for (const std::uint32_t j : problem.labels->row(i)) {
      if (trainable[j] != 0 && !std::binary_search(unknown.begin(), unknown.end(), j)) own.push_back(j);
    }
    out.push_row(own);
  }
  return out;
}

}  // namespace

LabelTrees fit_label_trees(const Problem& problem, const CsrMatrix& x, std::int32_t held_out,
                           const LabelTreesOptions& options) {
  const std::vector<std::uint32_t> rows = rows_where(problem, held_out, false);
  std::vector<float> weights;
  for (const std::uint32_t i : rows) {
    if (!problem.row_weights.empty()) weights.push_back(problem.row_weights[i]);
  }
  const LabelMatrix labels = learned_labels(problem, rows);
  LabelTrees out = rows.size() == x.rows
                       ? fit_label_trees(x, labels, weights, options.tree, options.count)
                       : fit_label_trees(take_rows(x, rows), labels, weights, options.tree, options.count);
  out.length = options.length;
  return out;
}

ShortLists held_out_lists(const Problem& problem, const CsrMatrix& x, const LabelTreesOptions& options,
                          const std::function<bool()>& stop, std::size_t& folds) {
  std::vector<ShortLists> parts;
  for (std::size_t f = 0; f < folds && (f == 0 || !stop()); ++f) {
    throw_if_cancelled();
    const auto fold = static_cast<std::int32_t>(f);
    const LabelTrees trees = fit_label_trees(problem, x, fold, options);
    const std::vector<std::uint32_t> rows = rows_where(problem, fold, true);
    parts.emplace_back();
    add_short_lists(trees, take_rows(x, rows), 0, rows.size(), parts.back());
  }
  folds = parts.size();
  ShortLists out;
  out.labels = problem.label_count();
  std::vector<std::size_t> next(folds);
  for (const std::uint32_t fold : problem.hold_out.fold_of_row()) {
    if (fold < folds) out.push_row(parts[fold].row(next[fold]++));
  }
  return out;
}

LabelMatrix unlearnable_cells(const Problem& problem, std::span<const std::uint32_t> rows) {
  constexpr std::uint32_t none = UINT32_MAX;
  constexpr std::uint32_t several = UINT32_MAX - 1;
  std::vector<std::uint32_t> only_fold(problem.label_count(),
                                       none);  // the one with all of a label's positives
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const std::uint32_t fold = problem.hold_out.fold_of_row()[i];
    for (const std::uint32_t j : problem.labels->row(i))
      only_fold[j] = only_fold[j] == none || only_fold[j] == fold ? fold : several;
  }
  LabelMatrix out;
  out.cols = problem.label_count();
  std::vector<std::uint32_t> cells;
  for (const std::uint32_t i : rows) {
    const auto unknown = unknown_of(problem, i);
    cells.assign(unknown.begin(), unknown.end());
    for (const std::uint32_t j : problem.labels->row(i)) {
      if (only_fold[j] == problem.hold_out.fold_of_row()[i]) cells.push_back(j);
    }
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    out.push_row(cells);
  }
  return out;
}

}  // namespace mmo
