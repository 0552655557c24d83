// Grows one tree on bins: depth first, each node by the best split among randomly drawn columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/learn/trees/bins.h"
#include "mmo/learn/trees/split_search.h"
#include "mmo/learn/trees/tree.h"

namespace mmo::trees {

struct GrowOptions {
  std::size_t columns_per_split = 1;
  std::size_t depth = 0;  // 0 = no limit
  double min_leaf = 0;    // weight of a leaf's rows
  double min_gain = 0;    // a split must score higher than its node by this
  bool random_cuts = false;
  std::span<const std::uint32_t> categories;  // of each column, as the table says
};

// Impurity: what split_search.h moves rows in. OnLeaf: (rows) → the leaf's index.
template <class Impurity, class OnLeaf>
class TreeGrower {
 public:
  TreeGrower(const Bins& bins, Impurity& impurity, const GrowOptions& options, Random& random, OnLeaf on_leaf)
      : bins_(bins),
        impurity_(impurity),
        options_(options),
        random_(random),
        on_leaf_(std::move(on_leaf)),
        search_(bins, impurity, options.min_leaf, options.random_cuts) {
    for (std::uint32_t k = 0; k < bins.columns.size(); ++k) {
      if (bins.columns[k].varies) columns_.push_back(k);
      if (bins.columns[k].sparse) membership_.node_of_row.resize(bins.rows, 0);
    }
  }

  Tree grow(std::vector<std::uint32_t> rows) {
    rows_ = std::move(rows);
    open_.push_back({tree_.add_node(), 0, rows_.size(), 0});
    while (!open_.empty()) {
      const Open node = open_.back();
      open_.pop_back();
      if (!split(node)) tree_.feature[node.index] = on_leaf_(rows_of(node));
    }
    return std::move(tree_);
  }

 private:
  struct Open {
    std::uint32_t index;
    std::size_t first, last;
    std::size_t depth;
  };

  [[nodiscard]] std::span<const std::uint32_t> rows_of(const Open& node) const {
    return std::span(rows_).subspan(node.first, node.last - node.first);
  }

  bool split(const Open& node) {
    const auto rows = rows_of(node);
    if (rows.size() < 2 || (options_.depth > 0 && node.depth >= options_.depth)) return false;
    impurity_.enter(rows);
    if (impurity_.pure() || impurity_.total() < 2 * options_.min_leaf) return false;
    if (!membership_.node_of_row.empty()) {
      membership_.node = node.index;
      for (const std::uint32_t i : rows) membership_.node_of_row[i] = node.index;
    }
    const Split best = search(rows);
    if (!(best.score > impurity_.unsplit() + options_.min_gain)) return false;
    const std::size_t middle = partition(node, best);
    const std::uint32_t left = tree_.add_node();
    tree_.add_node();
    record(node, best, left, middle);
    open_.push_back({left + 1, middle, node.last, node.depth + 1});
    open_.push_back({left, node.first, middle, node.depth + 1});
    return true;
  }

  // Among columns drawn without repeats; more than asked for while all were constant in the node.
  Split search(std::span<const std::uint32_t> rows) {
    Split best;
    bool varied = false;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (varied && k >= options_.columns_per_split) break;
      std::swap(columns_[k], columns_[k + random_.below(columns_.size() - k)]);
      varied |= search_.try_column(columns_[k], rows, membership_, random_, best);
      if (best.perfect) break;
    }
    return best;
  }

  std::size_t partition(const Open& node, const Split& best) {
    const BinnedColumn& column = bins_.columns[best.column];
    right_.clear();
    std::size_t left = node.first;
    const bool usual_left = best.left.has(column.usual_bin);
    auto at = column.rows.begin();
    for (std::size_t k = node.first; k < node.last; ++k) {
      const std::uint32_t i = rows_[k];
      bool goes_left = usual_left;
      if (!column.sparse) {
        goes_left = best.left.has(column.bins[i]);
      } else {
        at = std::lower_bound(at, column.rows.end(), i);  // the node's rows ascend
        if (at != column.rows.end() && *at == i)
          goes_left = best.left.has(column.bins[static_cast<std::size_t>(at - column.rows.begin())]);
      }
      if (goes_left) {
        rows_[left++] = i;
      } else {
        right_.push_back(i);
      }
    }
    std::copy(right_.begin(), right_.end(), rows_.begin() + static_cast<std::ptrdiff_t>(left));
    return left;
  }

  // The split on raw values. What the node's rows did not show goes the way of the missing values, or,
  // where none were missing, of more rows.
  void record(const Open& node, const Split& best, std::uint32_t left, std::size_t middle) {
    const BinnedColumn& column = bins_.columns[best.column];
    const bool missing_left =
        best.seen.has(missing_bin) ? best.left.has(missing_bin) : middle - node.first > node.last - middle;
    std::uint32_t word = static_cast<std::uint32_t>(best.column);
    if (missing_left) word |= missing_left_flag;
    if (column.nominal) {
      word |= nominal_flag;
      tree_.set[node.index] = add_set(column, best, missing_left);
    } else {
      tree_.threshold[node.index] =
          best.cut < column.cuts.size() ? column.cuts[best.cut] : std::numeric_limits<float>::max();
    }
    tree_.feature[node.index] = word;
    tree_.child[node.index] = left;
  }

  std::uint32_t add_set(const BinnedColumn& column, const Split& best, bool missing_left) {
    const auto offset = static_cast<std::uint32_t>(tree_.set_words.size());
    const std::size_t words = (options_.categories[best.column] + 31) / 32;
    tree_.set_words.resize(offset + words, missing_left ? 0xFFFFFFFFU : 0U);
    best.seen.for_each([&](std::size_t bin) {
      if (bin == missing_bin) return;
      const std::uint32_t category = column.category[bin];
      const std::uint32_t bit = 1U << (category % 32);
      std::uint32_t& word = tree_.set_words[offset + category / 32];
      word = best.left.has(bin) ? word | bit : word & ~bit;
    });
    return offset;
  }

  const Bins& bins_;
  Impurity& impurity_;
  const GrowOptions& options_;
  Random& random_;
  OnLeaf on_leaf_;
  SplitSearch<Impurity> search_;
  Membership membership_;
  std::vector<std::uint32_t> columns_, rows_, right_;
  std::vector<Open> open_;
  Tree tree_;
};

}  // namespace mmo::trees
