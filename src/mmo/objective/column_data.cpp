#include "mmo/objective/column_data.h"

namespace mmo {

std::vector<float> column_sizes(const Features& x, std::span<const float> row_weights) {
  const auto weight = [&](std::size_t i) {
    return row_weights.empty() ? 1.0 : static_cast<double>(row_weights[i]);
  };
  std::vector<double> sums(feature_cols(x) + 1);
  if (const auto* dense = std::get_if<DenseMatrix>(&x)) {
    for (std::size_t i = 0; i < dense->rows; ++i) {
      const auto row = dense->row(i);
      for (std::size_t k = 0; k < row.size(); ++k) sums[k] += weight(i) * row[k] * row[k];
      sums.back() += weight(i);
    }
  } else {
    const auto& sparse = std::get<CsrMatrix>(x);
    for (std::size_t i = 0; i < sparse.rows; ++i) {
      const auto indices = sparse.row_indices(i);
      const auto values = sparse.row_values(i);
      for (std::size_t e = 0; e < indices.size(); ++e) sums[indices[e]] += weight(i) * values[e] * values[e];
      sums.back() += weight(i);
    }
  }
  return {sums.begin(), sums.end()};
}

}  // namespace mmo
