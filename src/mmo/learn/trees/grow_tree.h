// Grows one tree on bins: depth first, splitting each node the best way among randomly drawn columns.
#pragma once

#include <algorithm>
#include <array>
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
  double balance = 0;     // least share of a node's weight on either side
  double min_gain = 0;    // how much better than its node a split must score
  bool random_cuts = false;
  std::span<const std::uint32_t> categories;  // of each column, as in the table
};

// Impurity: what split_search.h moves rows through. OnLeaf: (rows) → the leaf's index.
template <class Impurity, class OnLeaf>
class TreeGrower {
 public:
  TreeGrower(const Bins& bins, Impurity& impurity, const GrowOptions& options, Random& random, OnLeaf on_leaf)
      : bins_(bins),
        impurity_(impurity),
        options_(options),
        random_(random),
        on_leaf_(std::move(on_leaf)),
        search_(bins, impurity, options.random_cuts) {
    for (std::uint32_t k = 0; k < bins.columns.size(); ++k) {
      if (bins.columns[k].varies) columns_.push_back(k);
      if (bins.columns[k].sparse) membership_.place.resize(bins.rows, nowhere);
    }
  }

  Tree grow(std::vector<std::uint32_t> rows) {
    rows_ = std::move(rows);
    place_rows(0, rows_.size());
    open_.push_back({tree_.add_node(), 0, rows_.size(), 0});
    while (!open_.empty()) {
      const Open node = open_.back();
      open_.pop_back();
      if (!split(node)) tree_.feature[node.index] = on_leaf_(rows_of(node));
    }
    return std::move(tree_);
  }

 private:
  static constexpr std::uint32_t nowhere = 0xFFFFFFFFU;
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
    membership_.first = static_cast<std::uint32_t>(node.first);
    membership_.last = static_cast<std::uint32_t>(node.last);
    search_.set_min_leaf(std::max(options_.min_leaf, options_.balance * impurity_.total()));
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

  // Among columns drawn without replacement; keeps drawing while all were constant in the node.
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
    if (right_.size() < node.last - node.first) right_.resize(node.last - node.first);
    std::array<std::uint8_t, 256> left_of_bin{};
    best.left.for_each([&](std::size_t bin) { left_of_bin[bin] = 1; });
    std::size_t left = node.first;
    std::size_t right = 0;
    auto at = column.rows.begin();
    for (std::size_t k = node.first; k < node.last; ++k) {
      const std::uint32_t i = rows_[k];
      std::uint8_t bin = column.usual_bin;
      if (!column.sparse) {
        bin = column.bins[i];
      } else {
        at = std::lower_bound(at, column.rows.end(), i);  // the node's rows ascend
        if (at != column.rows.end() && *at == i)
          bin = column.bins[static_cast<std::size_t>(at - column.rows.begin())];
      }
      // Write both, keep one: a branch here would be mispredicted half the time.
      rows_[left] = i;
      right_[right] = i;
      left += left_of_bin[bin];
      right += 1U - left_of_bin[bin];
    }
    std::copy_n(right_.begin(), right, rows_.begin() + static_cast<std::ptrdiff_t>(left));
    place_rows(node.first, node.last);
    return left;
  }

  void place_rows(std::size_t first, std::size_t last) {
    if (membership_.place.empty()) return;
    for (std::size_t k = first; k < last; ++k) membership_.place[rows_[k]] = static_cast<std::uint32_t>(k);
  }

  // The split on raw values. Whatever the node's rows did not contain goes the way of the missing values or,
  // if none were missing, of the majority.
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
