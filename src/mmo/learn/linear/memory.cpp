#include "mmo/learn/linear/memory.h"

#include <algorithm>

#include "mmo/columns/fit_columns.h"
#include "mmo/learn/linear/l2_path.h"
#include "mmo/learn/linear/mapped_problem.h"

namespace mmo {

LinearBytes linear_bytes(const Problem& problem, const Features& encoded, std::size_t losses, bool hinge_path,
                         std::size_t threads, std::size_t rows) {
  const std::uint64_t n = problem.rows();
  const std::uint64_t m = rows;
  const std::uint64_t l = problem.label_count();
  const std::uint64_t d = feature_cols(encoded) + 1;
  const auto* sparse = std::get_if<CsrMatrix>(&encoded);
  const std::uint64_t features = feature_bytes(encoded);
  const std::uint64_t pairs = pairs_kept(encoded);
  const std::uint64_t width = columns_per_block(encoded, {}, true);
  const std::uint64_t columns = problem.trainable.size() * problem.hold_out.folds();
  // z, dz and slopes (float), signs (one byte); weights, gradients, directions and preconditioner; pairs in
  // halves. Or duals, held-out scores and signs; weights.
  const auto blocks = [&](std::uint64_t fitted_rows) {
    const std::uint64_t primal = width * (fitted_rows * 13 + d * (4 * 7 + 2 * 2 * pairs));
    const std::uint64_t dual = sparse != nullptr ? DualGroup::most_columns * (fitted_rows * 9 + d * 4) : 0;
    return std::max(primal, dual) * std::min<std::uint64_t>(threads, columns / width + 1);
  };
  const std::uint64_t fold_weights = columns * d * 4;  // kept for warm starts
  // On the squared hinge's path: those of the best point and of the next one.
  const std::uint64_t duals =
      sparse != nullptr && hinge_path ? 2 * 4 * std::min<std::uint64_t>(columns * m, most_duals) : 0;
  const bool whitened = sparse == nullptr && d - 1 <= std::min<std::uint64_t>(n, most_whitened_features);
  const std::uint64_t whitening = whitened ? 2 * d * d * 4 : 0;  // moments and their factor
  // Taken out of the features where rows are sampled; mapped; transposed or centred.
  const std::uint64_t searched_features = features * m / n * (m < n ? 3 : 2);
  return {
      searched_features + whitening + fold_weights * (losses + 2) + duals + blocks(m) + m * l * 4 * losses,
      features * 2 + fold_weights * losses + d * l * 4 * 3 + blocks(n)};
}

}  // namespace mmo
