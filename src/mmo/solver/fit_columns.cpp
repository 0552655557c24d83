#include "mmo/solver/fit_columns.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "mmo/core/parallel.h"
#include "mmo/core/simd.h"

namespace mmo {
namespace {

// A column that all rows pull to the same side has no finite solution: its constant is its solution. (The
// joint loss pulls every cell to both sides.)
bool is_one_sided(const ColumnLoss& loss, double up, double down) {
  return loss.kind != ColumnLoss::Kind::joint && (up == 0 || down == 0);
}

}  // namespace

std::size_t columns_per_block(const Features& x) {
  const std::size_t vector_cells = feature_rows(x) + feature_cols(x);
  const auto* const sparse = std::get_if<CsrMatrix>(&x);
  return vector_cells > 16384 || (sparse != nullptr && sparse->nonzeros() < 16 * vector_cells) ? 16 : 32;
}

float best_constant(const ColumnLoss& loss, double up, double down) {
  // Half an observation on each side keeps it finite for labels that are never or always there.
  up += 0.5;
  down += 0.5;
  const bool hinge = loss.kind == ColumnLoss::Kind::squared_hinge;
  return static_cast<float>(hinge ? (up - down) / (up + down) : std::log(up / down));
}

void fit_columns(const ColumnData& data, const ColumnLoss& loss, std::span<const Column> columns,
                 const SolverOptions& options, const BlockStart& start,
                 const std::function<void(SolvedBlock&&)>& finish, std::size_t width) {
  if (width == 0) width = columns_per_block(*data.x);
  const std::size_t blocks = range_count(columns.size(), width);
  parallel_for(blocks, [&](std::size_t b) {
    SolvedBlock block;
    block.first = b * width;
    block.count = std::min(width, columns.size() - block.first);
    const auto own = columns.subspan(block.first, block.count);
    ColumnBlock objective(data, loss, own);
    block.stride = objective.stride();
    block.weights.assign(objective.dimension() * block.stride, 0.0F);
    const auto [up, down] = objective.sides();
    const std::size_t bias = block.weights.size() - block.stride;  // where the last row starts
    std::vector<float> constants(block.count);
    for (std::size_t c = 0; c < block.count; ++c) constants[c] = best_constant(loss, up[c], down[c]);
    std::copy(constants.begin(), constants.end(), block.weights.data() + bias);
    if (start) start(block.first, block.count, block.stride, block.weights);
    std::vector<char> solved(block.count, 0);
    for (std::size_t c = 0; c < block.count; ++c) {
      if (!is_one_sided(loss, up[c], down[c])) continue;
      solved[c] = 1;
      for (std::size_t k = c; k < block.weights.size(); k += block.stride) block.weights[k] = 0.0F;
      block.weights[bias + c] = constants[c];
    }
    if (options.stop && options.stop()) {  // even a first look at the gradient would take too long
      block.status.resize(block.count);
    } else {
      std::vector<float> ridge(block.stride, 1.0F);
      for (std::size_t c = 0; c < block.count; ++c) ridge[c] = own[c].ridge;
      block.status = minimise_columns(objective, ridge, solved, block.weights, options);
    }
    finish(std::move(block));
  });
}

}  // namespace mmo
