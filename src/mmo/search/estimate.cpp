#include "mmo/search/estimate.h"

#include <fmt/format.h>

#include <algorithm>

#include "mmo/core/error.h"
#include "mmo/solver/fit_columns.h"

namespace mmo {

namespace {

std::uint64_t estimate_bytes(const Problem& problem, const Features& encoded, const Recipe& recipe,
                             std::size_t threads) {
  const std::uint64_t n = problem.rows();
  const std::uint64_t l = problem.label_count();
  const std::uint64_t d = feature_cols(encoded) + 1;
  const auto* sparse = std::get_if<CsrMatrix>(&encoded);
  const std::uint64_t features = sparse != nullptr ? sparse->nonzeros() * 8 + n * 8 : n * d * 4;
  const std::uint64_t losses = static_cast<std::uint64_t>(!recipe.logistic_path.empty()) +
                               static_cast<std::uint64_t>(!recipe.hinge_path.empty());
  const std::uint64_t columns = problem.trainable.size() * problem.folds;
  const std::uint64_t pairs = sparse != nullptr ? 4 : 8;
  // z, dz and slopes (float), signs (one byte); weights, gradients, direction, preconditioner and pairs.
  const std::uint64_t width = columns_per_block(n, d - 1);
  const std::uint64_t block = width * (n * 13 + d * 4 * (6 + 2 * pairs));
  return features * 3  // encoded, mapped, transposed or rotated
         +
         n * l * 4 *
             (std::max<std::uint64_t>(losses, 1) + 3)  // scores of the losses, their mean, the rule's copies
         + columns * d * 4 * (std::max<std::uint64_t>(losses, 1) + 3)  // fold weights kept for warm starts
         + block * std::min<std::uint64_t>(threads, columns / width + 1) +
         (recipe.stack ? l * l * 4 * (2 * problem.folds + 6) + n * l * 16 : 0);
}

// Iterations × columns of both losses' paths, times the four operations that each non-zero of X costs.
double estimate_seconds(const Problem& problem, const Features& encoded, const Recipe& recipe,
                        const Choosers& choosers, std::size_t threads) {
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
  double iterations = 0;  // per label
  for (const auto* path : {&recipe.logistic_path, &recipe.hinge_path}) {
    if (path->empty()) continue;
    const auto points = static_cast<double>(std::min(path->size(), points_visited));
    const double choosing = points * static_cast<double>(choosers.folds) * iterations_on_path;
    iterations += choosing_share * choosing + iterations_final;
    if (!choosers.are_all_of(problem)) iterations += folds * iterations_on_path;
  }
  const double fits = recipe.lambda == LambdaSearch::scan     ? 1.0 / recipe.lambda_step
                      : recipe.lambda == LambdaSearch::bisect ? 10.0
                      : recipe.lambda == LambdaSearch::none   ? 0.0
                                                              : 3.0;
  iterations += fits * folds * iterations_warm;
  const auto labels = static_cast<double>(problem.trainable.size());
  return 4.0 * cells * labels * iterations / (operations_per_second * static_cast<double>(threads));
}

}  // namespace

SearchEstimate estimate_search(const Problem& problem, const Features& encoded, const Recipe& recipe,
                               const Choosers& choosers, std::size_t threads) {
  return {estimate_bytes(problem, encoded, recipe, threads),
          estimate_seconds(problem, encoded, recipe, choosers, threads)};
}

void require_memory(std::uint64_t limit, std::uint64_t estimate) {
  if (limit == 0 || estimate <= limit) return;
  constexpr double mega = 1024.0 * 1024.0;
  throw UsageError(fmt::format(
      "the search would take about {:.1f} MB and --memory allows {:.1f} MB; raise it, or use fewer "
      "--threads or --folds, --effort quick or --set stack=off",
      static_cast<double>(estimate) / mega, static_cast<double>(limit) / mega));
}

}  // namespace mmo
