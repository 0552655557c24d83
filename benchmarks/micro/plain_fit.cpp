#include "benchmarks/micro/plain_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "mmo/learn/linear/fold_fit.h"
#include "mmo/learn/linear/mapped_problem.h"

namespace mmo::bench {
PlainFit plain_fit(const Dataset& data, double tolerance) {
  PlainFit out;
  Problem problem;
  problem.labels = &data.y;
  problem.rows_of_label = transpose(data.y);
  problem.hold_out = HoldOut::by_folds(std::vector<std::uint32_t>(data.rows()), 0);
  for (std::size_t j = 0; j < data.labels(); ++j) {
    const std::size_t positives = problem.rows_of_label.row(j).size();
    if (positives > 0 && positives < data.rows()) problem.trainable.push_back(static_cast<std::uint32_t>(j));
  }
  FitSettings settings;
  settings.tolerance = tolerance;
  const bool sparse = std::holds_alternative<CsrMatrix>(data.x);
  settings.pairs = pairs_kept(data.x);
  // A plain fit is compared by its memory too: on sparse features few columns at once take less of it.
  settings.block_columns = sparse ? 16 : 0;
  const MappedProblem mapped =
      map_problem(problem, data.x, FeatureMap::Kind::identity, problem.trainable.size());
  FullFit full = fit_full(mapped, settings, nullptr);

  out.trained = std::move(problem.trainable);
  out.iterations = full.summary.iterations;
  out.unfinished = full.summary.unfinished;
  LinearScorer scorer = linear_scorer({}, std::move(full.weights));
  out.model.weights = std::move(scorer.weights);
  out.model.bias = std::move(scorer.bias);
  out.model.rule.thresholds.assign(data.labels(), 0.0F);
  return out;
}

// Σ_j ½‖w_j‖² + Σ_i log(1 + exp(−t_ij·z_ij))
double objective(const PlainFit& fit, const Dataset& data) {
  const DenseMatrix& w = fit.model.weights;
  double sum = 0;
  for (const std::uint32_t j : fit.trained) {
    for (std::size_t k = 0; k < w.rows; ++k) sum += 0.5 * static_cast<double>(w(k, j)) * w(k, j);
  }
  std::vector<double> z(w.cols);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    std::copy(fit.model.bias.begin(), fit.model.bias.end(), z.begin());
    const auto add = [&](std::size_t k, double value) {
      for (std::size_t j = 0; j < z.size(); ++j) z[j] += value * w(k, j);
    };
    if (const auto* dense = std::get_if<DenseMatrix>(&data.x)) {
      for (std::size_t k = 0; k < w.rows; ++k) add(k, (*dense)(i, k));
    } else {
      const auto& sparse = std::get<CsrMatrix>(data.x);
      for (std::size_t e = 0; e < sparse.row_indices(i).size(); ++e)
        add(sparse.row_indices(i)[e], sparse.row_values(i)[e]);
    }
    for (const std::uint32_t j : data.y.row(i)) z[j] = -z[j];
    for (const std::uint32_t j : fit.trained)
      sum += std::max(z[j], 0.0) + std::log1p(std::exp(-std::abs(z[j])));
  }
  return sum;
}

}  // namespace mmo::bench
