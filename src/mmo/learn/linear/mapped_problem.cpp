#include "mmo/learn/linear/mapped_problem.h"

#include <algorithm>

namespace mmo {
namespace {

// A whitened column needs some 15 iterations less, of 4nd operations each; the moments take nd². With hardly
// more rows than features single rows shape the Hessian, less is saved, and only many columns pay.
bool whitening_pays(std::size_t rows, std::size_t features, std::size_t columns) {
  if (features > std::min(rows, most_whitened_features)) return false;
  return 2 * features <= rows ? 60 * columns > features : columns > 2 * features;
}

// tr(XcᵀXc)/d: the summed variance of the features, as a multiple of the number of rows.
double mean_spread(const Features& x, const std::vector<float>& sizes, std::span<const float> row_weights) {
  const std::size_t d = feature_cols(x);
  std::vector<double> sums(d);
  std::visit(
      [&](const auto& m) {
        for (std::size_t i = 0; i < m.rows; ++i) {
          const double weight = row_weights.empty() ? 1.0 : static_cast<double>(row_weights[i]);
          if constexpr (requires { m.row_indices(i); }) {
            const auto indices = m.row_indices(i);
            const auto values = m.row_values(i);
            for (std::size_t e = 0; e < indices.size(); ++e) sums[indices[e]] += weight * values[e];
          } else {
            const auto row = m.row(i);
            for (std::size_t k = 0; k < d; ++k) sums[k] += weight * row[k];
          }
        }
      },
      x);
  double spread = 0;
  for (std::size_t k = 0; k < d; ++k)
    spread += std::max(0.0, sizes[k] - sums[k] * sums[k] / std::max<double>(sizes[d], 1e-12));
  return std::max(spread / static_cast<double>(std::max<std::size_t>(d, 1)), 1e-6);
}

}  // namespace

ColumnData MappedProblem::columns() const {
  return {&x(),
          &problem->rows_of_label,
          problem->unknown != nullptr ? &problem->unknown_rows_of_label : nullptr,
          problem->row_weights,
          problem->hold_out.fold_of_row(),
          {},
          transposed.get(),
          sizes};
}

MappedProblem map_problem(const Problem& problem, const Features& encoded, FeatureMap::Kind kind,
                          std::size_t columns) {
  MappedProblem out;
  out.problem = &problem;
  const bool separate = problem.hold_out.is_validation();
  const std::vector<std::uint32_t> rows =
      separate ? problem.hold_out.training_rows() : std::vector<std::uint32_t>{};
  std::vector<float> weights = problem.row_weights;
  if (separate && !weights.empty()) {
    weights.clear();
    for (const std::uint32_t i : rows) weights.push_back(problem.row_weights[i]);
  }
  // What is fitted (map, moments, scale of L2) sees training rows only; then all rows are mapped.
  out.map = separate ? fit_feature_map(kind, take_rows(encoded, rows)) : fit_feature_map(kind, encoded);
  out.encoded = &encoded;
  if (kind != FeatureMap::Kind::identity) out.changed = out.map.apply(encoded);
  const Features own = separate ? take_rows(out.x(), rows) : Features{};
  const Features& fitted = separate ? own : out.x();
  out.sizes = column_sizes(fitted, weights);
  out.mean_spread = mean_spread(fitted, out.sizes, weights);
  if (std::holds_alternative<CsrMatrix>(out.x())) out.transposed = std::make_unique<LazyTranspose>();
  if (const auto* dense = std::get_if<DenseMatrix>(&fitted);
      dense != nullptr && whitening_pays(dense->rows, dense->cols, columns))
    out.moments = feature_moments(*dense, weights);
  return out;
}

}  // namespace mmo
