// Summed Gini impurity of a node's two sides, at the cost of the labels its rows have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/learn/trees/vector_sums.h"

namespace mmo::trees {

// The labels of each row as the impurity counts them: y·√(label weight), where an unknown cell takes the
// label's share among known ones as its y. Cells of 0 are left out.
struct LabelCells {
  std::size_t labels = 0;
  std::vector<std::uint32_t> offsets{0};  // rows + 1
  std::vector<std::uint32_t> label;
  std::vector<float> value;    // empty = all 1
  std::vector<float> ceiling;  // of each label: the value of a row that has it; empty = all 1
};

// With c_j the weight of a side's rows that have label j and n that of all its rows, the impurity is
//   Σ_j c_j·(n − c_j) / n = Σ_j c_j − Σ_j c_j² / n,
// so the best split has the highest Σ c_j² / n, summed over both sides. A row that moves to a side adds its
// weight w to the c_j of its own labels only: Σ c_j² grows by w·(2·c_j + w) for each. The other side follows
// from the totals T: Σ (T_j − c_j)² = Σ T_j² − 2·Σ T_j·c_j + Σ c_j². A node numbers its own labels, so the
// counts stay close together in memory however many labels there are.
class LabelCounts {
 public:
  // `weights` of all rows; rows of weight 0 never show up.
  LabelCounts(const LabelCells& cells, std::span<const float> weights);

  void enter(std::span<const std::uint32_t> rows);
  // All rows have the same labels.
  [[nodiscard]] bool pure() const { return unsplit() >= perfect(); }
  // The score of a split into two pure sides: the highest there is.
  [[nodiscard]] double perfect() const { return (1 - rounding) * mass_; }
  // The score of not splitting.
  [[nodiscard]] double unsplit() const { return total_squares_ / total_; }
  [[nodiscard]] double total() const { return total_; }

  // Ranges move from one side to the other, in this order.
  [[nodiscard]] Boundary sweep(const std::uint32_t* order, std::span<const Range> ranges, double min_leaf);
  // Rows with bins up to `cut` on one side.
  [[nodiscard]] double score_below(const std::uint8_t* bins, std::uint8_t cut, double min_leaf);

  // Orders categories by their share of one label, drawn at random from those of the rows.
  void choose_lead(Random& random);
  [[nodiscard]] double lead_total() const;
  [[nodiscard]] double lead_sum(std::span<const std::uint32_t> positions) const;
  [[nodiscard]] double weight_of(std::span<const std::uint32_t> positions) const;

 private:
  static constexpr double rounding = 1e-10;
  static constexpr std::uint32_t nothing = 0xFFFFFFFFU;

  // A label of a row, w·value, and its number among the labels that several of the node's rows have.
  struct Cell {
    double amount;
    std::uint32_t local;
  };
  struct Row {
    std::uint32_t first, last;  // in cells_
    double weight;
    double cross;  // Σ_j amount_j·T_j
    double alone;  // Σ_j amount_j² of labels no other row of the node has: their c_j need no count
    double lead;   // amount of the leading label
  };
  // What has moved.
  struct Side {
    double squares = 0, cross = 0, weight = 0;
  };

  void move(const Row& row, Side& side);
  [[nodiscard]] double score(const Side& side) const;
  [[nodiscard]] double amount(const Row& row, std::uint32_t k) const {
    return all_.value.empty() ? row.weight : row.weight * all_.value[k];
  }
  void total_up(std::span<const std::uint32_t> rows);
  void collect(std::span<const std::uint32_t> rows);

  const LabelCells& all_;
  std::span<const float> weights_;
  // Per label, 0 between nodes: T_j, how many of the node's rows have it, and its number within the
  // node.
  std::vector<double> label_total_;
  std::vector<std::uint32_t> label_rows_, label_local_;
  // Per row of the node.
  std::vector<Row> rows_;
  std::vector<Cell> cells_;
  std::vector<double> counts_;  // c_j of what has moved
  std::span<const std::uint32_t> node_rows_;
  double total_squares_ = 0, mass_ = 0, total_ = 0;
};

}  // namespace mmo::trees
