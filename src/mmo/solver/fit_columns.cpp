#include "mmo/solver/fit_columns.h"

#include <cmath>
#include <utility>

#include "mmo/core/parallel.h"
#include "mmo/core/simd.h"

namespace mmo {
namespace {

// The score that minimises a column's loss without features, from its weighted share of positives.
void start_at_constants(const ColumnData& data, const ColumnLoss& loss, std::span<const Column> columns,
                        std::size_t stride, std::vector<float>& weights) {
  const double rows = data.sizes.back();
  float* bias = weights.data() + (weights.size() - stride);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c];
    double positives = 0;
    for (const std::uint32_t i : data.rows_of_label->row(column.label)) {
      positives += data.row_weights.empty() ? 1.0 : static_cast<double>(data.row_weights[i]);
    }
    // Half an observation on each side keeps the start finite for labels that are never or always there.
    double up = std::abs(column.positive) * positives + 0.5;
    double down = std::abs(column.negative) * std::max(rows - positives, 0.0) + 0.5;
    if (column.flipped()) std::swap(up, down);
    const bool hinge = loss.kind == ColumnLoss::Kind::squared_hinge;
    bias[c] = static_cast<float>(hinge ? (up - down) / (up + down) : std::log(up / down));
  }
}

}  // namespace

void fit_columns(const ColumnData& data, const ColumnLoss& loss, std::span<const Column> columns,
                 const SolverOptions& options, const BlockStart& start,
                 const std::function<void(SolvedBlock&&)>& finish) {
  const std::size_t width = columns_per_block(feature_rows(*data.x), feature_cols(*data.x));
  const std::size_t blocks = (columns.size() + width - 1) / width;
  parallel_for(blocks, [&](std::size_t b) {
    SolvedBlock block;
    block.first = b * width;
    block.count = std::min(width, columns.size() - block.first);
    const auto own = columns.subspan(block.first, block.count);
    ColumnBlock objective(data, loss, own);
    block.stride = objective.stride();
    block.weights.assign(objective.dimension() * block.stride, 0.0F);
    start_at_constants(data, loss, own, block.stride, block.weights);
    if (start) start(block.first, block.count, block.stride, block.weights);
    std::vector<float> ridge(block.stride, 1.0F);
    for (std::size_t c = 0; c < block.count; ++c) ridge[c] = own[c].ridge;
    block.status = minimise_columns(objective, ridge, block.count, block.weights, options);
    finish(std::move(block));
  });
}

}  // namespace mmo
