#include "mmo/search/estimate.h"

#include <fmt/format.h>

#include <algorithm>

#include "mmo/core/error.h"
#include "mmo/learn/linear/memory.h"

namespace mmo {

namespace {

std::uint64_t estimate_bytes(const Problem& problem, const Features& encoded, const Recipe& recipe,
                             std::size_t threads, std::size_t rows) {
  const std::uint64_t m = rows;
  const std::uint64_t l = problem.label_count();
  const auto losses = std::max<std::size_t>(static_cast<std::size_t>(!recipe.logistic_path.empty()) +
                                                static_cast<std::size_t>(!recipe.hinge_path.empty()),
                                            1);
  const LinearBytes linear =
      linear_bytes(problem, encoded, losses, recipe.hinge_path.size() > 1, threads, rows);
  // Moments of each fold and of all, V without each and of all, and what solving for V takes.
  const std::uint64_t mix_matrices =
      3 * problem.folds + 3 + 4 * std::min<std::uint64_t>(threads, problem.folds + 1);
  const std::uint64_t search =
      linear.searching + m * l * 4 * 3 +  // the mean of the scores, the rule's copies
      (recipe.stack && l <= most_mixed_labels ? l * l * 4 * mix_matrices + m * l * 12 : 0);
  return feature_bytes(encoded) + std::max(search, m < problem.rows() ? linear.final_fit : 0);
}

// Iterations × columns of both losses' paths, times the four operations that each non-zero of X costs.
double estimate_seconds(const Problem& problem, const Features& encoded, const Recipe& recipe,
                        const Choosers& choosers, std::size_t threads, std::size_t rows) {
  constexpr double iterations_on_path = 13;
  constexpr double iterations_warm = 8;    // folds that start from others, another λ
  constexpr double iterations_final = 30;  // to full accuracy
  constexpr std::size_t points_visited = 4;
  const auto* sparse = std::get_if<CsrMatrix>(&encoded);
  const double cells = sparse != nullptr
                           ? static_cast<double>(sparse->nonzeros())
                           : static_cast<double>(problem.rows()) * static_cast<double>(feature_cols(encoded));
  const double operations_per_second = sparse != nullptr ? 8e9 : 2e10;  // of one thread
  const auto folds = static_cast<double>(problem.folds);
  const double choosing_share = choosers.labels.empty() ? 1
                                                        : static_cast<double>(choosers.labels.size()) /
                                                              static_cast<double>(problem.trainable.size());
  const double searched = static_cast<double>(rows) / static_cast<double>(problem.rows());
  double iterations = 0;  // over all rows, per label
  for (const auto* path : {&recipe.logistic_path, &recipe.hinge_path}) {
    if (path->empty()) continue;
    const auto points = static_cast<double>(std::min(path->size(), points_visited));
    const double choosing = points * static_cast<double>(choosers.folds) * iterations_on_path;
    iterations += searched * choosing_share * choosing + iterations_final;
    if (!choosers.are_all_of(problem)) iterations += searched * folds * iterations_on_path;
  }
  const double fits = recipe.lambda == LambdaSearch::scan     ? 1.0 / recipe.lambda_step
                      : recipe.lambda == LambdaSearch::bisect ? 10.0
                      : recipe.lambda == LambdaSearch::none   ? 0.0
                                                              : 3.0;
  iterations += searched * fits * folds * iterations_warm;
  const auto labels = static_cast<double>(problem.trainable.size());
  return 4.0 * cells * labels * iterations / (operations_per_second * static_cast<double>(threads));
}

}  // namespace

SearchEstimate estimate_search(const Problem& problem, const Features& encoded, const Recipe& recipe,
                               const Choosers& choosers, std::size_t threads, std::size_t rows) {
  return {estimate_bytes(problem, encoded, recipe, threads, rows),
          estimate_seconds(problem, encoded, recipe, choosers, threads, rows), rows, problem.rows()};
}

std::size_t rows_within(std::uint64_t limit, const Problem& problem, const Features& encoded,
                        const Recipe& recipe) {
  const std::size_t all = problem.rows();
  const std::size_t least = std::min(all, std::max<std::size_t>(20'000, all / 10));
  std::size_t rows = all;
  while (rows > least && estimate_bytes(problem, encoded, recipe, 1, rows) > limit)
    rows = std::max(least, rows / 10 * 9);
  return rows;
}

void refuse_memory(std::uint64_t limit, std::uint64_t estimate) {
  constexpr double mega = 1024.0 * 1024.0;
  throw UsageError(fmt::format(
      "the search would take about {:.1f} MB and --memory allows {:.1f} MB; raise it, or use fewer "
      "--threads or --folds, --effort quick or --set stack=off",
      static_cast<double>(estimate) / mega, static_cast<double>(limit) / mega));
}

}  // namespace mmo
