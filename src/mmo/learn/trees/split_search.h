// The best split of a node on one column: groups its rows by bin and moves groups from side to side.
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
#include "mmo/learn/trees/sort_few.h"
#include "mmo/learn/trees/vector_sums.h"

namespace mmo::trees {

// Bit b: bin b goes left.
class BinSet {
 public:
  [[nodiscard]] bool has(std::size_t bin) const { return ((words_[bin / 64] >> (bin % 64)) & 1U) != 0; }
  void set(std::size_t bin, bool value = true) {
    const std::uint64_t bit = std::uint64_t{1} << (bin % 64);
    words_[bin / 64] = value ? words_[bin / 64] | bit : words_[bin / 64] & ~bit;
  }
  [[nodiscard]] static BinSet up_to(std::size_t bin) {
    BinSet out;
    for (std::size_t word = 0; word < bin / 64; ++word) out.words_[word] = ~std::uint64_t{0};
    out.words_[bin / 64] = ~std::uint64_t{0} >> (63 - bin % 64);
    return out;
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
  BinSet left;          // among the bins of the node's rows
  BinSet seen;          // categories: those bins; numbers: missing_bin, if rows have it
  std::size_t cut = 0;  // numbers: bins up to here go left
  bool perfect = false;
};

// Each row's place among the node's rows, for sparse columns: rows of other nodes have other places.
struct Membership {
  std::vector<std::uint32_t> place;   // of all rows; empty = no sparse columns
  std::uint32_t first = 0, last = 0;  // places of the node's
};

template <class Impurity>
class SplitSearch {
 public:
  SplitSearch(const Bins& bins, Impurity& impurity, bool random_cuts)
      : bins_(bins),
        impurity_(impurity),
        random_cuts_(random_cuts),
        order_(bins.rows),
        here_(bins.rows + few_bins) {}

  // The least weight on either side of a split.
  void set_min_leaf(double weight) { min_leaf_ = weight; }

  // Returns whether the node's rows differ in this column; a better split replaces `best`.
  bool try_column(std::size_t column, std::span<const std::uint32_t> rows, const Membership& membership,
                  Random& random, Split& best) {
    const BinnedColumn& data = bins_.columns[column];
    column_ = column;
    usual_ = none;
    if (data.sparse) {
      list_rows(data, rows, membership);
      group(listed_.size(), [&](std::size_t k) { return listed_[k]; });
      if (listed_.size() < rows.size()) insert_usual(data.usual_bin);
    } else {
      const BinRange range = gather_bins(data, rows, here_.data());
      if (range.low == range.high) return false;
      if (random_cuts_ && !data.nominal && range.high != missing_bin) {
        try_between(range, random, best);
        return true;
      }
      if (rows.size() <= few_bins) {
        group_few(rows.size());
      } else {
        group(rows.size(), [](std::size_t k) { return static_cast<std::uint32_t>(k); });
      }
    }
    if (groups_ < 2) return false;
    has_missing_ = bin_[groups_ - 1] == missing_bin;
    if (data.nominal) order_categories(random);
    if (random_cuts_) {
      try_random(random, best);
    } else {
      try_all(best);
    }
    return true;
  }

 private:
  static constexpr std::size_t none = 256;

  [[nodiscard]] std::span<const std::uint32_t> positions(std::size_t group) const {
    return std::span(order_).subspan(range_[group].first, range_[group].last - range_[group].first);
  }

  // Counting sort of positions by here_; bins that no row has cost nothing.
  template <class PositionOf>
  void group(std::size_t count, const PositionOf& position) {
    std::array<std::uint64_t, 4> seen{};
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint8_t bin = here_[k];
      ++cursor_[bin];
      seen[bin / 64] |= std::uint64_t{1} << (bin % 64);
    }
    groups_ = 0;
    std::uint32_t at = 0;
    for (std::size_t word = 0; word < seen.size(); ++word) {
      for (std::uint64_t bits = seen[word]; bits != 0; bits &= bits - 1) {
        const std::size_t bin = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        const std::uint32_t end = at + cursor_[bin];
        bin_[groups_] = static_cast<std::uint8_t>(bin);
        range_[groups_++] = {at, end};
        cursor_[bin] = at;
        at = end;
      }
    }
    for (std::size_t k = 0; k < count; ++k) order_[cursor_[here_[k]]++] = position(k);
    for (std::size_t g = 0; g < groups_; ++g) cursor_[bin_[g]] = 0;
  }

  // The same for few rows.
  void group_few(std::size_t count) {
    std::array<std::uint8_t, few_bins + 1> sorted;
    sort_few(here_.data(), count, order_.data(), sorted.data());
    sorted[count] = static_cast<std::uint8_t>(~sorted[count - 1]);  // ends the last group
    std::size_t group = 0;
    std::uint32_t first = 0;
    for (std::uint32_t k = 0; k < count; ++k) {
      bin_[group] = sorted[k];
      range_[group] = {first, k + 1};
      const std::uint32_t ends = sorted[k + 1] != sorted[k] ? 1 : 0;
      group += ends;
      first += ends * (k + 1 - first);
    }
    groups_ = group;
  }

  // The node's rows that a sparse column lists: walks the shorter of the two lists.
  void list_rows(const BinnedColumn& data, std::span<const std::uint32_t> rows,
                 const Membership& membership) {
    listed_.clear();
    const auto add = [&](std::uint32_t position, std::size_t entry) {
      here_[listed_.size()] = data.bins[entry];
      listed_.push_back(position);
    };
    if (data.rows.size() < rows.size() * 8) {
      for (std::size_t k = 0; k < data.rows.size(); ++k) {
        const std::uint32_t place = membership.place[data.rows[k]];
        if (place >= membership.first && place < membership.last) add(place - membership.first, k);
      }
      return;
    }
    for (std::uint32_t position = 0; position < rows.size(); ++position) {
      const auto at = std::lower_bound(data.rows.begin(), data.rows.end(), rows[position]);
      if (at != data.rows.end() && *at == rows[position])
        add(position, static_cast<std::size_t>(at - data.rows.begin()));
    }
  }

  // Rows that are not in the list form a group that never moves.
  void insert_usual(std::uint8_t bin) {
    std::size_t g = groups_++;
    for (; g > 0 && bin_[g - 1] > bin; --g) {
      bin_[g] = bin_[g - 1];
      range_[g] = range_[g - 1];
    }
    bin_[g] = bin;
    range_[g] = {0, 0};
    usual_ = g;
  }

  // By share of the leading label, smoothed by one row with the node's share; missing values stay last.
  void order_categories(Random& random) {
    impurity_.choose_lead(random);
    const double all = impurity_.lead_total();
    std::array<double, 257> share{};
    double rest = all;
    double rest_weight = impurity_.total();
    const auto smoothed = [&](double sum, double weight) {
      return (sum + all / impurity_.total()) / (weight + 1);
    };
    for (std::size_t g = 0; g < groups_; ++g) {
      if (g == usual_) continue;
      const double sum = impurity_.lead_sum(positions(g));
      const double weight = impurity_.weight_of(positions(g));
      share[g] = smoothed(sum, weight);
      rest -= sum;
      rest_weight -= weight;
    }
    if (usual_ != none) share[usual_] = smoothed(rest, rest_weight);
    for (std::size_t g = 0; g < groups_; ++g) by_share_[g] = static_cast<std::uint16_t>(g);
    const auto values = static_cast<std::ptrdiff_t>(groups_ - (has_missing_ ? 1 : 0));
    std::stable_sort(by_share_.begin(), by_share_.begin() + values,
                     [&](auto a, auto b) { return share[a] < share[b]; });
  }

  // Lines the groups up from left to right: missing values last or first.
  void line_up(bool missing_left) {
    const bool nominal = bins_.columns[column_].nominal;
    const std::size_t values = groups_ - (has_missing_ ? 1 : 0);
    std::size_t at = 0;
    if (has_missing_ && missing_left) line_[at++] = values;
    for (std::size_t g = 0; g < values; ++g) line_[at++] = nominal ? by_share_[g] : g;
    if (has_missing_ && !missing_left) line_[at] = values;
  }

  // Every boundary between neighbours, with missing values on either side: groups leave the left side one by
  // one up to the one that can't, then the right side.
  void try_all(Split& best) {
    if (usual_ == none && !has_missing_ && !bins_.columns[column_].nominal) {
      const Boundary here = impurity_.sweep(order_.data(), {range_.data(), groups_ - 1}, min_leaf_);
      if (!replaces(here.score, best)) return;
      best.cut = (bin_[here.after] + bin_[here.after + 1] - 1U) / 2;
      best.left = BinSet::up_to(best.cut);
      best.seen = {};
      return;
    }
    for (const bool missing_left : {false, true}) {
      if (missing_left && (!has_missing_ || groups_ == 2)) continue;
      line_up(missing_left);
      moves_.clear();
      for (std::size_t k = 0; k + 1 < groups_ && line_[k] != usual_; ++k) moves_.push_back(range_[line_[k]]);
      if (!moves_.empty()) {
        const Boundary up = impurity_.sweep(order_.data(), moves_, min_leaf_);
        consider(up.score, up.after, best);
      }
      if (usual_ == none) continue;
      moves_.clear();
      for (std::size_t k = groups_ - 1; k > 0 && line_[k] != usual_; --k) moves_.push_back(range_[line_[k]]);
      if (moves_.empty()) continue;
      const Boundary down = impurity_.sweep(order_.data(), moves_, min_leaf_);
      consider(down.score, groups_ - 2 - down.after, best);
    }
  }

  // A number without missing values: a cut drawn evenly between the lowest and highest bin.
  void try_between(const BinRange& range, Random& random, Split& best) {
    const std::size_t cut = range.low + random.below(range.high - range.low);
    const double score = impurity_.score_below(here_.data(), static_cast<std::uint8_t>(cut), min_leaf_);
    if (!replaces(score, best)) return;
    best.cut = cut;
    best.left = BinSet::up_to(cut);
    best.seen = {};
  }

  // The same for categories, sparse columns, and columns with missing values, which go to a random side.
  void try_random(Random& random, Split& best) {
    line_up(has_missing_ && groups_ > 2 && (random.next() >> 63U) != 0);
    const std::size_t first = has_missing_ && line_[0] == groups_ - 1 ? 1 : 0;  // of the actual values
    const std::size_t values = groups_ - (has_missing_ ? 1 : 0);
    std::size_t boundary = first;
    std::size_t cut = most_bins - 1;
    if (values > 1 && bins_.columns[column_].nominal) {
      boundary += random.below(values - 1);
    } else if (values > 1) {
      cut = bin_[0] + random.below(bin_[values - 1] - bin_[0]);
      while (bin_[boundary + 1 - first] <= cut) ++boundary;
    }
    const auto end = line_.begin() + static_cast<std::ptrdiff_t>(boundary) + 1;
    const bool usual_left = std::find(line_.begin(), end, usual_) != end;
    gathered_.clear();
    for (std::size_t k = usual_left ? boundary + 1 : 0; k < (usual_left ? groups_ : boundary + 1); ++k) {
      const auto moving = positions(line_[k]);
      gathered_.insert(gathered_.end(), moving.begin(), moving.end());
    }
    const Range all{0, static_cast<std::uint32_t>(gathered_.size())};
    const double score = impurity_.sweep(gathered_.data(), {&all, 1}, min_leaf_).score;
    if (!consider(score, boundary, best) || bins_.columns[column_].nominal) return;
    const bool missing_left = best.left.has(missing_bin);
    best.cut = cut;
    best.left = BinSet::up_to(cut);
    best.left.set(missing_bin, missing_left);
  }

  // The groups up to `boundary` go left. True if that is the best so far.
  bool consider(double score, std::size_t boundary, Split& best) {
    if (!replaces(score, best)) return false;
    const std::uint8_t lower = bin_[line_[boundary]];
    const std::uint8_t upper = bin_[line_[boundary + 1]];
    const bool missing_alone = lower == missing_bin || (boundary + 2 == groups_ && upper == missing_bin);
    best.cut = missing_alone ? most_bins - 1 : (lower + upper - 1U) / 2;
    best.seen = {};
    if (!bins_.columns[column_].nominal) {
      best.left = BinSet::up_to(best.cut);
      if (!has_missing_) return true;
      best.seen.set(missing_bin);
      best.left.set(missing_bin, !missing_alone && line_[0] == groups_ - 1);
      return true;
    }
    best.left = {};
    for (std::size_t k = 0; k < groups_; ++k) {
      best.seen.set(bin_[line_[k]]);
      best.left.set(bin_[line_[k]], k <= boundary);
    }
    return true;
  }

  bool replaces(double score, Split& best) const {
    if (score <= best.score) return false;
    best.score = score;
    best.column = column_;
    best.perfect = score >= impurity_.perfect();
    return true;
  }

  const Bins& bins_;
  Impurity& impurity_;
  double min_leaf_ = 0;
  bool random_cuts_;

  std::vector<std::uint32_t> order_;  // positions of the node's rows, by group
  std::vector<std::uint8_t> here_;    // bins of the node's rows, or of the listed ones
  std::vector<std::uint32_t> listed_, gathered_;
  std::array<std::uint32_t, 256> cursor_{};
  // Per group, by ascending bin.
  std::array<std::uint8_t, 257> bin_{};
  std::array<Range, 257> range_{};
  std::array<std::uint16_t, 257> by_share_{};  // categories: groups in order
  std::array<std::size_t, 257> line_{};
  std::vector<Range> moves_;
  std::size_t groups_ = 0;
  std::size_t usual_ = none;  // the group that never moves
  std::size_t column_ = 0;
  bool has_missing_ = false;
};

}  // namespace mmo::trees
