#include "mmo/learn/trees/score_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mmo/core/simd.h"
#include "mmo/learn/trees/tree_walk.h"

namespace mmo::trees {
namespace {

void add_leaf(const ForestScorer& scorer, std::uint32_t leaf, float* sums) {
  const std::uint32_t last = scorer.leaf_offsets[leaf + 1];
  for (std::uint32_t k = scorer.leaf_offsets[leaf]; k < last; ++k)
    sums[scorer.leaf_labels[k]] += scorer.leaf_values[k];
}

MMO_SIMD bool has_nan(const float* values, std::size_t count) {
  int some = 0;
  for (std::size_t k = 0; k < count; ++k) some |= static_cast<int>(values[k] != values[k]);
  return some != 0;
}

}  // namespace

RowBlock::RowBlock(const Table& table, std::size_t first, std::size_t last) {
  if (const auto* dense = std::get_if<DenseMatrix>(&table.values)) {
    for (std::size_t i = first; i < last; ++i) rows_.push_back(dense->row(i).data());
    if (first < last) some_missing_ = has_nan(rows_[0], (last - first) * dense->cols);
    return;
  }
  const auto& sparse = std::get<CsrMatrix>(table.values);
  copied_.assign((last - first) * sparse.cols, 0.0F);
  for (std::size_t i = first; i < last; ++i) {
    float* row = copied_.data() + (i - first) * sparse.cols;
    const auto columns = sparse.row_indices(i);
    const auto values = sparse.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) row[columns[k]] = values[k];
    rows_.push_back(row);
    some_missing_ = some_missing_ || has_nan(values.data(), values.size());
  }
}

std::size_t block_rows(const Table& table) {
  constexpr std::size_t most = 128;
  constexpr std::size_t numbers = std::size_t{1} << 18U;  // 1 MB of copied rows
  if (std::holds_alternative<DenseMatrix>(table.values)) return most;
  return std::clamp(numbers / std::max<std::size_t>(feature_cols(table.values), 1), walkers, most);
}

void add_leaves(const ForestScorer& scorer, const RowBlock& block, std::size_t first, const Counts& counts,
                float* sums, std::uint32_t* trees_of_row) {
  std::vector<std::uint32_t> rows;
  std::array<const float*, walkers> at{};
  std::array<std::uint32_t, walkers> leaves{};
  for (std::size_t tree = 0; tree < scorer.trees(); ++tree) {
    rows.clear();
    for (std::uint32_t k = 0; k < block.size(); ++k) {
      if (!counts || counts(tree, first + k)) rows.push_back(k);
    }
    for (std::size_t from = 0; from < rows.size(); from += walkers) {
      const std::size_t count = std::min(walkers, rows.size() - from);
      if (scorer.set_words.empty() && scorer.columns > 0) {
        for (std::size_t k = 0; k < walkers; ++k) at[k] = block.row(rows[from + std::min(k, count - 1)]);
        const auto walk = block.some_missing() ? leaves_of<true> : leaves_of<false>;
        walk(scorer, tree, at.data(), leaves.data());
      } else {
        for (std::size_t k = 0; k < count; ++k) leaves[k] = leaf_of(scorer, tree, block.row(rows[from + k]));
      }
      for (std::size_t k = 0; k < count; ++k) {
        const std::uint32_t row = rows[from + k];
        add_leaf(scorer, leaves[k], sums + row * scorer.labels);
        ++trees_of_row[row];
      }
    }
  }
}

void add_logits(const ForestScorer& scorer, const float* sums, std::size_t trees, float* out) {
  if (scorer.link == ForestScorer::Link::logits) {
    for (std::size_t j = 0; j < scorer.labels; ++j) out[j] += scorer.base[j] + sums[j];
    return;
  }
  const float scale = trees > 0 ? (1 - scorer.smoothing) / static_cast<float>(trees) : 0;
  const float smoothing = trees > 0 ? scorer.smoothing : 1;
  for (std::size_t j = 0; j < scorer.labels; ++j) {
    const float p = std::clamp(scale * sums[j] + smoothing * scorer.base[j], 1e-6F, 1 - 1e-6F);
    out[j] += std::log(p / (1 - p));
  }
}

}  // namespace mmo::trees

namespace mmo {

void add_scores(const ForestScorer& scorer, const Table& table, std::size_t first, std::size_t last,
                float* out) {
  const std::size_t step = trees::block_rows(table);
  std::vector<float> sums;
  std::vector<std::uint32_t> trees_of_row;
  for (std::size_t from = first; from < last; from += step) {
    const std::size_t to = std::min(last, from + step);
    const trees::RowBlock block(table, from, to);
    sums.assign(block.size() * scorer.labels, 0.0F);
    trees_of_row.assign(block.size(), 0);
    trees::add_leaves(scorer, block, from, {}, sums.data(), trees_of_row.data());
    for (std::size_t k = 0; k < block.size(); ++k)
      trees::add_logits(scorer, sums.data() + k * scorer.labels, scorer.trees(),
                        out + (from - first + k) * scorer.labels);
  }
}

}  // namespace mmo
