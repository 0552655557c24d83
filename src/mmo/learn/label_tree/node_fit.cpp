#include "mmo/learn/label_tree/node_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mmo/columns/fit_columns.h"
#include "mmo/core/lend.h"
#include "mmo/core/parallel.h"

namespace mmo {
namespace {

// Rows of X with the features that they have, numbered from 0.
struct NarrowRows {
  Features x;
  std::vector<std::uint32_t> feature;  // of each column; ascending
};

NarrowRows narrow_rows(const CsrMatrix& x, std::span<const std::uint32_t> rows) {
  NarrowRows out;
  if (rows.size() == x.rows) {  // the root: a copy might not fit in memory
    out.feature.resize(x.cols);
    std::iota(out.feature.begin(), out.feature.end(), 0U);
    out.x = lend(x);
    return out;
  }
  CsrMatrix own = take_rows(x, rows);
  std::vector<std::uint32_t> column(x.cols, 0);
  for (const std::uint32_t k : std::as_const(own.indices)) column[k] = 1;
  for (std::uint32_t k = 0; k < x.cols; ++k) {
    if (column[k] == 0) continue;
    column[k] = static_cast<std::uint32_t>(out.feature.size());
    out.feature.push_back(k);
  }
  for (std::uint32_t& k : own.indices) k = column[k];
  own.cols = out.feature.size();
  out.x = std::move(own);
  return out;
}

// Of a child that all rows have: the fit would drive it to infinity. (m + 1)/(m + 2), Laplace's rule.
float bias_of_sure_child(std::size_t rows) { return std::log(static_cast<float>(rows) + 1.0F); }

// The children in the order they are fitted in, the most frequent first: those of one block take about as
// many passes. Without those that all rows have.
std::vector<Column> columns_of(const LabelMatrix& rows_of_child, std::size_t rows, float ridge) {
  std::vector<Column> columns;
  for (std::uint32_t c = 0; c < rows_of_child.rows; ++c) {
    if (rows_of_child.row(c).size() < rows) columns.push_back({.label = c, .ridge = ridge});
  }
  std::stable_sort(columns.begin(), columns.end(), [&](const Column& a, const Column& b) {
    return rows_of_child.row(a.label).size() > rows_of_child.row(b.label).size();
  });
  return columns;
}

std::vector<float> take(std::span<const float> from, std::span<const std::uint32_t> places) {
  std::vector<float> out;
  for (const std::uint32_t i : from.empty() ? std::span<const std::uint32_t>{} : places)
    out.push_back(from[i]);
  return out;
}

// The weights that stay, feature by feature.
void keep_weights(const std::vector<SolvedBlock>& blocks, std::span<const Column> columns,
                  const std::vector<std::uint32_t>& features, float smallest, FittedNode& node) {
  std::vector<std::pair<std::uint16_t, float>> kept;
  for (std::size_t k = 0; k < features.size(); ++k) {
    kept.clear();
    for (const SolvedBlock& block : blocks) {
      const float* const weights = block.weights.data() + k * block.stride;
      for (std::size_t c = 0; c < block.count; ++c) {
        if (std::abs(weights[c]) >= smallest)
          kept.emplace_back(static_cast<std::uint16_t>(columns[block.first + c].label), weights[c]);
      }
    }
    if (kept.empty()) continue;
    std::sort(kept.begin(), kept.end());
    for (const auto& [sibling, weight] : kept) {
      node.sibling.push_back(sibling);
      node.weight.push_back(to_half(weight));
    }
    node.feature.push_back(features[k]);
    node.ends.push_back(node.weight.size());
  }
}

}  // namespace

FittedNode fit_node(const CsrMatrix& x, std::span<const std::uint32_t> rows, const LabelMatrix& rows_of_child,
                    std::span<const float> row_weights, const LabelTreeOptions& options) {
  FittedNode node;
  node.bias.assign(rows_of_child.rows, bias_of_sure_child(rows.size()));
  const std::vector<Column> columns = columns_of(rows_of_child, rows.size(), options.ridge);
  if (columns.empty()) return node;
  const NarrowRows narrow = narrow_rows(x, rows);
  const std::vector<float> weights = take(row_weights, rows);
  const LazyTranspose transposed;
  const std::vector<float> sizes = column_sizes(narrow.x, weights);
  const ColumnData data{.x = &narrow.x,
                        .rows_of_label = &rows_of_child,
                        .row_weights = weights,
                        .transposed = &transposed,
                        .sizes = sizes};
  SolverOptions solver;
  solver.tolerance = options.tolerance;
  solver.dual_passes = options.passes;
  std::vector<SolvedBlock> blocks(range_count(columns.size(), DualGroup::most_columns));
  fit_columns(
      data, {}, columns, solver, {},
      [&](SolvedBlock&& block) { blocks[block.first / DualGroup::most_columns] = std::move(block); },
      DualGroup::most_columns);
  for (const SolvedBlock& block : blocks) {
    const float* const bias = block.weights.data() + narrow.feature.size() * block.stride;
    for (std::size_t c = 0; c < block.count; ++c) node.bias[columns[block.first + c].label] = bias[c];
  }
  keep_weights(blocks, columns, narrow.feature, options.smallest, node);
  return node;
}

}  // namespace mmo
