// The best split of a node on one column: its rows grouped by bin, groups moved from one side to the other.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/learn/trees/bins.h"

namespace mmo::trees {

// Bit b: bin b goes left.
class BinSet {
 public:
  [[nodiscard]] bool has(std::size_t bin) const { return ((words_[bin / 64] >> (bin % 64)) & 1U) != 0; }
  void set(std::size_t bin, bool value = true) {
    const std::uint64_t bit = std::uint64_t{1} << (bin % 64);
    words_[bin / 64] = value ? words_[bin / 64] | bit : words_[bin / 64] & ~bit;
  }
  // Calls visit(bin) in ascending order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      for (std::uint64_t bits = words_[word]; bits != 0; bits &= bits - 1)
        visit(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }

 private:
  std::array<std::uint64_t, 4> words_{};
};

struct Split {
  double score = -std::numeric_limits<double>::infinity();
  std::size_t column = 0;
  BinSet left, seen;    // of the bins that the node's rows have
  std::size_t cut = 0;  // numbers: bins up to here go left
  bool perfect = false;
};

// Which rows of a sparse column are in the node: of the rows 0 … n − 1, the node that each is in.
struct Membership {
  std::vector<std::uint32_t> node_of_row;  // empty = no sparse columns
  std::uint32_t node = 0;
};

template <class Impurity>
class SplitSearch {
 public:
  SplitSearch(const Bins& bins, Impurity& impurity, double min_leaf, bool random_cuts)
      : bins_(bins), impurity_(impurity), min_leaf_(min_leaf), random_cuts_(random_cuts), order_(bins.rows) {}

  // Whether the node's rows differ in this column; a better split replaces `best`.
  bool try_column(std::size_t column, std::span<const std::uint32_t> rows, const Membership& membership,
                  Random& random, Split& best) {
    const BinnedColumn& data = bins_.columns[column];
    if (!data.varies) return false;
    column_ = column;
    usual_ = none;
    if (data.sparse) {
      list_rows(data, rows, membership);
      group(listed_, [&](std::size_t k) { return listed_bins_[k]; });
      if (listed_.size() < rows.size()) insert_usual(data.usual_bin);
    } else {
      group(rows, [&](std::size_t k) { return data.bins[rows[k]]; });
    }
    if (groups_ < 2) return false;
    has_missing_ = group_[groups_ - 1].bin == missing_bin;
    if (data.nominal) order_categories(rows, random);
    if (random_cuts_) {
      try_random(rows, random, best);
    } else {
      try_all(rows, best);
    }
    return true;
  }

 private:
  static constexpr std::size_t none = 256;
  struct Group {
    std::uint8_t bin;
    std::uint32_t first, last;  // in order_
    double share;               // of the leading label: categories only
  };

  [[nodiscard]] std::span<const std::uint32_t> rows_of(const Group& g) const {
    return std::span(order_).subspan(g.first, g.last - g.first);
  }

  // Counting sort by bin; bins that no row has cost nothing.
  template <class BinOf>
  void group(std::span<const std::uint32_t> rows, const BinOf& bin_of) {
    std::array<std::uint64_t, 4> seen{};
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::uint8_t bin = bin_of(k);
      ++cursor_[bin];
      seen[bin / 64] |= std::uint64_t{1} << (bin % 64);
    }
    groups_ = 0;
    std::uint32_t at = 0;
    for (std::size_t word = 0; word < seen.size(); ++word) {
      for (std::uint64_t bits = seen[word]; bits != 0; bits &= bits - 1) {
        const auto bin =
            static_cast<std::uint8_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
        const std::uint32_t count = cursor_[bin];
        group_[groups_++] = {bin, at, at + count, 0};
        cursor_[bin] = at;
        at += count;
      }
    }
    for (std::size_t k = 0; k < rows.size(); ++k) order_[cursor_[bin_of(k)]++] = rows[k];
    for (std::size_t g = 0; g < groups_; ++g) cursor_[group_[g].bin] = 0;
  }

  // The node's rows among a sparse column's: the shorter list is walked.
  void list_rows(const BinnedColumn& data, std::span<const std::uint32_t> rows,
                 const Membership& membership) {
    listed_.clear();
    listed_bins_.clear();
    if (data.rows.size() < rows.size() * 8) {
      for (std::size_t k = 0; k < data.rows.size(); ++k) {
        if (membership.node_of_row[data.rows[k]] != membership.node) continue;
        listed_.push_back(data.rows[k]);
        listed_bins_.push_back(data.bins[k]);
      }
      return;
    }
    for (const std::uint32_t i : rows) {
      const auto at = std::lower_bound(data.rows.begin(), data.rows.end(), i);
      if (at == data.rows.end() || *at != i) continue;
      listed_.push_back(i);
      listed_bins_.push_back(data.bins[static_cast<std::size_t>(at - data.rows.begin())]);
    }
  }

  // The rows that the list leaves out are a group that never moves.
  void insert_usual(std::uint8_t bin) {
    std::size_t g = groups_++;
    for (; g > 0 && group_[g - 1].bin > bin; --g) group_[g] = group_[g - 1];
    group_[g] = {bin, 0, 0, 0};
    usual_ = g;
  }

  // By the share of the leading label, smoothed by one row of the node's share; missing values stay last.
  void order_categories(std::span<const std::uint32_t> rows, Random& random) {
    impurity_.choose_lead(rows, random);
    double sum = impurity_.lead_sum(rows);
    double weight = impurity_.total();
    const double prior = sum / weight;
    const std::uint8_t usual_bin = usual_ == none ? missing_bin : group_[usual_].bin;
    for (std::size_t g = 0; g < groups_; ++g) {
      if (g == usual_) continue;
      const double group_sum = impurity_.lead_sum(rows_of(group_[g]));
      const double group_weight = impurity_.weight_of(rows_of(group_[g]));
      group_[g].share = (group_sum + prior) / (group_weight + 1);
      sum -= group_sum;
      weight -= group_weight;
    }
    if (usual_ != none) group_[usual_].share = (sum + prior) / (weight + 1);
    const auto values = static_cast<std::ptrdiff_t>(groups_ - (has_missing_ ? 1 : 0));
    std::stable_sort(group_.begin(), group_.begin() + values,
                     [](const Group& a, const Group& b) { return a.share < b.share; });
    if (usual_ == none) return;
    usual_ = 0;
    while (group_[usual_].bin != usual_bin) ++usual_;
  }

  // The order in which groups stand from left to right: missing values last or first.
  void line_up(bool missing_left) {
    line_.clear();
    if (has_missing_ && missing_left) line_.push_back(groups_ - 1);
    for (std::size_t g = 0; g + (has_missing_ ? 1 : 0) < groups_; ++g) line_.push_back(g);
    if (has_missing_ && !missing_left) line_.push_back(groups_ - 1);
  }

  // Every boundary between neighbours, with missing values on either side: groups move from the left one by
  // one, up to the one that can't, then from the right.
  void try_all(std::span<const std::uint32_t> rows, Split& best) {
    for (const bool missing_left : {false, true}) {
      if (missing_left && (!has_missing_ || groups_ == 2)) continue;
      line_up(missing_left);
      for (std::size_t k = 0; k + 1 < groups_ && line_[k] != usual_; ++k) {
        impurity_.move(rows_of(group_[line_[k]]));
        consider(k, best);
      }
      impurity_.forget(rows);
      if (usual_ == none) continue;
      for (std::size_t k = groups_ - 1; k > 0 && line_[k] != usual_; --k) {
        impurity_.move(rows_of(group_[line_[k]]));
        consider(k - 1, best);
      }
      impurity_.forget(rows);
    }
  }

  // One boundary, evenly drawn between the lowest and the highest bin; missing values go to a random side.
  void try_random(std::span<const std::uint32_t> rows, Random& random, Split& best) {
    line_up(has_missing_ && groups_ > 2 && (random.next() >> 63U) != 0);
    const std::size_t first = line_.front() == groups_ - 1 ? 1 : 0;  // of the values
    const std::size_t values = groups_ - (has_missing_ ? 1 : 0);
    std::size_t boundary = first;
    std::size_t cut = most_bins - 1;
    if (values > 1 && bins_.columns[column_].nominal) {
      boundary += random.below(values - 1);
    } else if (values > 1) {
      const std::size_t low = group_[0].bin;
      cut = low + random.below(group_[values - 1].bin - low);
      while (group_[boundary + 1 - first].bin <= cut) ++boundary;
    }
    const bool usual_left =
        std::find(line_.begin(), line_.begin() + static_cast<std::ptrdiff_t>(boundary) + 1, usual_) !=
        line_.begin() + static_cast<std::ptrdiff_t>(boundary) + 1;
    const std::size_t from = usual_left ? boundary + 1 : 0;
    const std::size_t to = usual_left ? groups_ : boundary + 1;
    for (std::size_t k = from; k < to; ++k) impurity_.move(rows_of(group_[line_[k]]));
    if (consider(boundary, best) && values > 1) set_left(boundary, cut, best);
    impurity_.forget(rows);
  }

  // The groups up to `boundary` go left. True: the best so far.
  bool consider(std::size_t boundary, Split& best) {
    const double moved = impurity_.moved();
    if (std::min(moved, impurity_.total() - moved) < min_leaf_) return false;
    const double score = impurity_.score();
    if (score <= best.score) return false;
    const Group& lower = group_[line_[boundary]];
    const Group& upper = group_[line_[boundary + 1]];
    if (lower.bin == missing_bin) return false;  // the same as missing values alone on the right
    best.score = score;
    best.column = column_;
    best.perfect = score >= impurity_.perfect();
    set_left(boundary, upper.bin == missing_bin ? most_bins - 1 : (lower.bin + upper.bin - 1U) / 2, best);
    return true;
  }

  void set_left(std::size_t boundary, std::size_t cut, Split& best) const {
    best.left = best.seen = {};
    best.cut = cut;
    for (std::size_t k = 0; k < groups_; ++k) {
      best.seen.set(group_[line_[k]].bin);
      best.left.set(group_[line_[k]].bin, k <= boundary);
    }
  }

  const Bins& bins_;
  Impurity& impurity_;
  double min_leaf_;
  bool random_cuts_;

  std::vector<std::uint32_t> order_;  // rows of the node, by group
  std::vector<std::uint32_t> listed_;
  std::vector<std::uint8_t> listed_bins_;
  std::array<std::uint32_t, 256> cursor_{};
  std::array<Group, 257> group_{};
  std::vector<std::size_t> line_;
  std::size_t groups_ = 0;
  std::size_t usual_ = none;  // the group that never moves
  std::size_t column_ = 0;
  bool has_missing_ = false;
};

}  // namespace mmo::trees
