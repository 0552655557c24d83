// The dual of a group of sparse columns, one row at a time. Divided by its ridge ρ, a column's objective is
//   ½‖w‖² + Σ_i C_i·ℓ(t_i·(w·x_i + b)),   C_i = weight_i/ρ,
// and w = Σ_i α_i·t_i·x_i at its minimum, one dual variable α_i per row. A step on row i sets α_i to about
// its best value with all others fixed (Hsieh et al. 2008, "A Dual Coordinate Descent Method for Large-scale
// Linear SVM"; Yu, Huang & Lin 2011, "Dual coordinate descent methods for logistic regression"). It touches
// only that row's features, for all columns of the group at once.
//
// A bias without ridge requires Σ_i α_i·t_i = 0. The method of multipliers sees to that: the bias is the
// weight of a feature that all rows have, with a ridge on its distance from where the last pass left it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mmo/core/line_vector.h"
#include "mmo/core/matrix.h"
#include "mmo/loss/column_loss.h"

namespace mmo {

// ‖x_i‖² of every row.
[[nodiscard]] std::vector<float> row_lengths(const CsrMatrix& x);

class DualGroup {
 public:
  static constexpr std::size_t most_columns = 32;
  using PerColumn = std::array<double, most_columns>;

  // A block of at most 32 columns; `lengths` are X's. `bias_lengths`, one per column, are the squared values
  // of the feature that acts as the bias: about the rows' own, and at least the ridge over the loss's
  // curvature by the bias, below which its own ridge would hold it back. `weights`, (d + 1) × columns,
  // receive the result. Squared hinge or logistic loss.
  DualGroup(const CsrMatrix& x, std::span<const float> lengths, const ColumnLoss& loss,
            const ColumnCells& cells, std::span<const float> ridge, std::span<const float> bias_lengths,
            float* weights);

  [[nodiscard]] std::size_t rows() const { return x_.rows; }
  [[nodiscard]] std::size_t columns() const { return cells_.stride; }

  // What remains of a solved group besides its weights.
  struct Solved {
    LineVector<float> duals;                 // rows × columns; empty: nothing to start from
    std::array<float, most_columns> pull{};  // Σ_i α_i·t_i
    PerColumn squares{}, loss{}, ridge{};    // ‖w‖², Σ_i C_i·ℓ
  };
  // Before the first pass, one of the two: from zero weight on every row, where the weights are zeros plus a
  // first bias, or, for the squared hinge, from the same columns solved with another ridge and the same
  // costs, each scaled by the factor that is best for its dual.
  void start();
  void start_from(const Solved& solved, const float* weights);
  [[nodiscard]] Solved take_solved();  // of a group whose columns are all closed; uses it up

  // From now on the column stays put.
  void close(std::size_t column);

  // The objective's value and its distance from the dual's (the duality gap), both as each row saw them when
  // visited: later rows saw a better point.
  struct Progress {
    PerColumn value{}, gap{};
  };
  // A step on every row in which any of the columns has a cell, in this order.
  [[nodiscard]] Progress pass(std::span<const std::uint32_t> order);

 private:
  const CsrMatrix& x_;
  std::span<const float> lengths_;
  ColumnCells cells_;
  bool scales_its_dual_;
  float* weights_;
  // Per column: C of positive and negative rows that weigh 1, its inverse, Σ_i α_i·t_i, ridge, ‖w‖².
  std::array<float, most_columns> up_{}, down_{}, inverse_up_{}, inverse_down_{}, pull_{}, bias_length_{};
  std::array<float, most_columns> closed_pull_{};  // Σ_i α_i·t_i of closed columns, whose bias stays put
  PerColumn ridge_{}, squares_{}, loss_{};         // the last is Σ_i C_i·ℓ of the last pass
  std::vector<char> is_empty_;  // rows where no column has a cell: a fold that all leave out
  // Rows × columns. Squared hinge: α. Logistic: the margin y that has α = C·σ(−y).
  LineVector<float> dual_;
};

}  // namespace mmo
