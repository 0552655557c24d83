#include "mmo/learn/trees/estimate.h"

#include <algorithm>
#include <cmath>

#include "mmo/core/parallel.h"
#include "mmo/core/simd.h"
#include "mmo/learn/trees/vector_sums.h"

namespace mmo {
namespace {

// Seconds, measured with benchmarks/micro/trees_bench.cpp.
constexpr double per_row_of_a_column = 6e-9;  // per node: bins gathered, grouped and summed
constexpr double per_block_of_labels = 3e-9;  // the same, per eight labels
constexpr double per_label_of_a_row = 1e-8;   // the same, with many labels
constexpr double per_step_of_a_row = 3e-9;    // per step down a tree
constexpr double per_slope = 6e-9;            // per label of a row, every round
constexpr double rows_in_cache = 50000;       // above this, memory slows it down,
constexpr double slowest_memory = 3;          // at most by this factor
constexpr std::size_t usual_rounds = 150;     // boosting stops by itself
constexpr double in_bag = 0.632;              // share of distinct rows among those drawn

struct Shape {
  double rows, columns, labels, positives;
  double binned;  // bytes of the bins
};

Shape shape_of(const Table& table, const Truth& truth) {
  Shape out{};
  out.rows = static_cast<double>(truth.labels->rows);
  out.columns = static_cast<double>(feature_cols(table.values));
  out.labels = static_cast<double>(truth.labels->cols);
  out.positives = static_cast<double>(truth.labels->positives());
  if (truth.unknown != nullptr) out.positives += static_cast<double>(truth.unknown->positives());
  out.binned = out.rows * out.columns;
  if (const auto* sparse = std::get_if<CsrMatrix>(&table.values)) {
    // Either a list of rows and bins, or the raw copy it is made from.
    out.binned = std::min(out.binned, 5.0 * static_cast<double>(sparse->nonzeros())) +
                 8.0 * static_cast<double>(sparse->nonzeros());
  }
  return out;
}

double depth_of(double rows) { return std::log2(std::max(rows, 2.0)); }

double memory_slowdown(double rows) { return std::min(1 + rows / rows_in_cache, slowest_memory); }

double vector_width(double labels) {
  return static_cast<double>(round_up(static_cast<std::size_t>(labels), 8));
}

}  // namespace

TreesCost estimate(const Table& table, const Truth& truth, const ForestOptions& options) {
  const Shape shape = shape_of(table, truth);
  const auto trees = static_cast<double>(options.trees);
  const auto asked = static_cast<double>(options.rows_per_tree);
  const double drawn = asked > 0 ? std::min(asked, shape.rows) : shape.rows;
  const double grown_on = options.bootstrap ? in_bag * drawn : shape.rows;
  const bool few = truth.labels->cols <= trees::RowVectors::most;
  const double per_row =
      per_row_of_a_column + (few ? per_block_of_labels * vector_width(shape.labels) / 8
                                 : per_label_of_a_row * shape.positives / std::max(shape.rows, 1.0));
  const double visits = grown_on * depth_of(grown_on) *
                        static_cast<double>(columns_per_split(options, feature_cols(table.values)));
  const double cuts = options.cuts == ForestOptions::Cuts::random ? 0.4 : 1;
  TreesCost out;
  out.seconds = trees * (visits * per_row * cuts * memory_slowdown(drawn) +
                         shape.rows * depth_of(grown_on) * per_step_of_a_row);
  const double nodes = 2 * grown_on * trees;
  const double of_labels = few ? 4 * shape.rows * vector_width(shape.labels) : 8 * shape.positives;
  const double workspace = (few ? of_labels : 24 * shape.positives) + 32 * shape.rows;
  out.bytes =
      static_cast<std::uint64_t>(shape.binned + of_labels + workspace * threads() + 40 * nodes +
                                 shape.rows * trees / 8 + 4 * shape.rows * shape.labels + 24 * shape.rows);
  return out;
}

TreesCost estimate(const Table& table, const Truth& truth, std::size_t folds, const BoostOptions& options) {
  const Shape shape = shape_of(table, truth);
  const auto fits = static_cast<double>(folds);
  const auto rounds = static_cast<double>(std::min(options.rounds, usual_rounds));
  const double columns = options.columns_per_split > 0 ? static_cast<double>(options.columns_per_split)
                                                       : std::ceil(std::sqrt(shape.columns));
  const double width = std::min(shape.labels, static_cast<double>(options.directions));
  const double per_row = per_row_of_a_column + per_block_of_labels * vector_width(width) / 8;
  const auto depth = static_cast<double>(options.depth);
  TreesCost out;
  out.seconds = fits * rounds * shape.rows *
                (depth * (columns * per_row * memory_slowdown(shape.rows) + per_step_of_a_row) +
                 shape.labels * per_slope);
  const double leaves = std::exp2(depth);
  const double kept = std::min(shape.labels, static_cast<double>(options.labels_per_leaf));
  out.bytes = static_cast<std::uint64_t>(
      shape.binned + fits * shape.rows * (12 * shape.labels + 4 * vector_width(width) + 8) +
      8 * shape.rows * shape.labels +
      2 * fits * static_cast<double>(options.rounds) * leaves * (8 * kept + 40));
  return out;
}

}  // namespace mmo
