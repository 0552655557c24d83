// The linear objective of a block of columns: X and its labels behind the solver's concept (solver/lbfgs.h).
// It stores no current point: every operation is a function of its arguments.
#pragma once

#include <span>

#include "mmo/objective/cell_block.h"

namespace mmo {

class ColumnBlock {
 public:
  ColumnBlock(const ColumnData& data, const ColumnLoss& loss, CellBlock cells);

  [[nodiscard]] std::size_t rows() const { return cells_.rows(); }
  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  [[nodiscard]] std::size_t stride() const { return cells_.stride(); }
  void scores(const float* w, float* z) const;
  void evaluate(const float* z, const float* dz, const float* step, float* slope, double* value) const;
  void gradient(const float* slope, float* g) const;
  void curvature(const float* z, float* out) const;
  void diagonal(const float* curvature, float* out) const;
  void compact(std::span<const std::size_t> keep) { cells_.compact(keep); }
  [[nodiscard]] bool whitened() const { return data_.whitening != nullptr; }
  void to_gradient(float* g) const { data_.whitening->to_gradient(g, stride()); }
  void to_direction(float* p) const { data_.whitening->to_direction(p, stride()); }

 private:
  ColumnData data_;
  ColumnLoss loss_;
  CellBlock cells_;
  const BandedTranspose* transposed_;  // null for dense X
  std::size_t dimension_;
};

}  // namespace mmo
