// Logistic regression of labels on two scores of the same cell and a constant, by Newton's method:
//   min over θ = (a, b, c) of the mean of softplus(−t·(a·z + b·q + c)) over the known cells, t = ±1.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

// About 500,000 cells are plenty for three parameters; larger matrices are read every so many rows.
class ScoreCells {
 public:
  // `q` null: 0 everywhere, and b stays as it was; `unknown` may be null too.
  ScoreCells(const DenseMatrix& z, const DenseMatrix* q, const LabelMatrix& labels,
             const LabelMatrix* unknown, std::span<const float> row_weights);

  using Theta = std::array<double, 3>;  // a, b, c

  // Mean loss at θ with its derivatives.
  struct Expansion {
    Theta theta;
    double value;
    Theta gradient;
    std::array<Theta, 3> hessian;
  };
  [[nodiscard]] Expansion expand(const Theta& theta) const;
  [[nodiscard]] Expansion minimise(const Theta& start) const;

  // Standard deviation of z.
  [[nodiscard]] double spread() const;

 private:
  std::size_t count_ = 0;
  std::vector<float> z_, q_, sign_, weight_;  // padded with cells of weight 0
};

}  // namespace mmo
