// Summed Gini impurity of a node's two sides, at the cost of the labels that its rows have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/learn/trees/row_keys.h"

namespace mmo::trees {

// The labels of each row as the impurity counts them: y·√(label weight), and for an unknown cell the label's
// share among known ones in place of y. Cells of 0 are left out.
struct LabelCells {
  std::size_t labels = 0;
  std::vector<std::uint32_t> offsets{0};  // rows + 1
  std::vector<std::uint32_t> label;
  std::vector<float> value;    // empty = all 1
  std::vector<float> ceiling;  // of each label: the value of a row that has it; empty = all 1
};

// With c_j the weight of a side's rows that have label j and n of all its rows, the impurity is
//   Σ_j c_j·(n − c_j) / n = Σ_j c_j − Σ_j c_j² / n,
// so the best split has the highest Σ c_j² / n, summed over both sides. A row that moves to a side adds its
// weight w to the c_j of its own labels only: Σ c_j² grows by w·(2·c_j + w) for each. The other side follows
// from the totals T: Σ (T_j − c_j)² = Σ T_j² − 2·Σ T_j·c_j + Σ c_j².
//
// Number: whole where all weights are, so that sums are exact.
template <class Number>
class LabelCounts {
 public:
  using Sum = std::conditional_t<std::is_integral_v<Number>, std::int64_t, double>;

  // `weights` of all rows; rows of weight 0 never come.
  LabelCounts(const LabelCells& cells, std::span<const Number> weights)
      : cells_(cells), weights_(weights), counts_(cells.labels, 0), row_totals_(weights.size(), 0) {}

  // The node's totals; nothing has moved yet.
  void enter(std::span<const std::uint32_t> rows) {
    total_ = 0;
    mass_ = 0;
    Sum squares = 0;
    for (const std::uint32_t i : rows) {
      const Number w = weights_[i];
      total_ += w;
      for (std::uint32_t k = cells_.offsets[i]; k < cells_.offsets[i + 1]; ++k) {
        const Number a = w * value(k);
        Number& c = counts_[cells_.label[k]];
        squares += static_cast<Sum>(a) * (2 * static_cast<Sum>(c) + a);
        mass_ += static_cast<Sum>(a) * ceiling(k);
        c += a;
      }
    }
    total_squares_ = squares;
    for (const std::uint32_t i : rows) {
      Sum sum = 0;
      for (std::uint32_t k = cells_.offsets[i]; k < cells_.offsets[i + 1]; ++k)
        sum += static_cast<Sum>(weights_[i] * value(k)) * counts_[cells_.label[k]];
      row_totals_[i] = sum;
    }
    forget(rows);
  }

  // All rows have the same labels.
  [[nodiscard]] bool pure() const {
    return static_cast<double>(total_squares_) >= (1 - rounding) * static_cast<double>(mass_) * total();
  }
  // The score of a split into two pure sides: nothing is higher.
  [[nodiscard]] double perfect() const { return (1 - rounding) * static_cast<double>(mass_); }
  // The score of not splitting.
  [[nodiscard]] double unsplit() const { return static_cast<double>(total_squares_) / total(); }
  [[nodiscard]] double total() const { return static_cast<double>(total_); }
  [[nodiscard]] double moved() const { return static_cast<double>(moved_); }

  void move(std::span<const std::uint32_t> rows) {
    Sum squares = squares_;
    Sum cross = cross_;
    Number moved = moved_;
    for (const std::uint32_t i : rows) {
      const Number w = weights_[i];
      moved += w;
      cross += row_totals_[i];
      for (std::uint32_t k = cells_.offsets[i]; k < cells_.offsets[i + 1]; ++k) {
        const Number a = w * value(k);
        Number& c = counts_[cells_.label[k]];
        squares += static_cast<Sum>(a) * (2 * static_cast<Sum>(c) + a);
        c += a;
      }
    }
    squares_ = squares;
    cross_ = cross;
    moved_ = moved;
  }

  // Σ c_j² / n of both sides.
  [[nodiscard]] double score() const {
    return static_cast<double>(squares_) / moved() +
           static_cast<double>(total_squares_ - 2 * cross_ + squares_) / static_cast<double>(total_ - moved_);
  }

  // Moves all back: only labels of `rows`, which hold all that have moved, can have counts.
  void forget(std::span<const std::uint32_t> rows) {
    if (counts_.size() <= 4 * rows.size()) {
      std::fill(counts_.begin(), counts_.end(), Number{0});
    } else {
      for (const std::uint32_t i : rows) {
        for (std::uint32_t k = cells_.offsets[i]; k < cells_.offsets[i + 1]; ++k)
          counts_[cells_.label[k]] = 0;
      }
    }
    squares_ = cross_ = 0;
    moved_ = 0;
  }

  // Categories are put in order by their share of one label, a random one among those of the rows.
  void choose_lead(std::span<const std::uint32_t> rows, Random& random) {
    const std::uint64_t salt = random.next();
    std::uint64_t lowest = ~std::uint64_t{0};
    lead_ = nothing;
    for (const std::uint32_t i : rows) {
      for (std::uint32_t k = cells_.offsets[i]; k < cells_.offsets[i + 1]; ++k) {
        const std::uint64_t draw = mix_bits(salt + cells_.label[k]);
        if (draw < lowest) {
          lowest = draw;
          lead_ = cells_.label[k];
        }
      }
    }
  }
  [[nodiscard]] double lead_sum(std::span<const std::uint32_t> rows) const {
    double sum = 0;
    for (const std::uint32_t i : rows) {
      for (std::uint32_t k = cells_.offsets[i]; k < cells_.offsets[i + 1]; ++k) {
        if (cells_.label[k] == lead_) sum += static_cast<double>(weights_[i] * value(k));
      }
    }
    return sum;
  }
  [[nodiscard]] double weight_of(std::span<const std::uint32_t> rows) const {
    double sum = 0;
    for (const std::uint32_t i : rows) sum += static_cast<double>(weights_[i]);
    return sum;
  }

 private:
  static constexpr double rounding = 1e-10;
  static constexpr std::uint32_t nothing = 0xFFFFFFFFU;

  [[nodiscard]] Number value(std::uint32_t k) const {
    if constexpr (std::is_integral_v<Number>) return 1;
    return static_cast<Number>(cells_.value.empty() ? 1.0F : cells_.value[k]);
  }
  [[nodiscard]] Number ceiling(std::uint32_t k) const {
    if constexpr (std::is_integral_v<Number>) return 1;
    return static_cast<Number>(cells_.ceiling.empty() ? 1.0F : cells_.ceiling[cells_.label[k]]);
  }

  const LabelCells& cells_;
  std::span<const Number> weights_;
  std::vector<Number> counts_;   // c_j of what has moved
  std::vector<Sum> row_totals_;  // w·Σ T_j over the labels of each row of the node
  Sum total_squares_ = 0, squares_ = 0, cross_ = 0, mass_ = 0;
  Number total_ = 0, moved_ = 0;
  std::uint32_t lead_ = nothing;
};

}  // namespace mmo::trees
