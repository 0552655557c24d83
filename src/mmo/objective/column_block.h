// The linear objective of a block of columns: X and its labels behind the solver's concept.
#pragma once

#include <span>

#include "mmo/core/line_vector.h"
#include "mmo/objective/cell_block.h"

namespace mmo {

class ColumnBlock {
 public:
  ColumnBlock(const ColumnData& data, const ColumnLoss& loss, CellBlock cells);

  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  [[nodiscard]] std::size_t stride() const { return cells_.stride(); }
  void set_point(const float* w);
  void set_direction(const float* p);
  void diagonal(float* out);
  void line_curvature(double* out);
  void evaluate(const float* step, double* value);
  void gradient(float* g) const;
  void advance(const float* step);
  void compact(std::span<const std::size_t> keep);
  [[nodiscard]] bool whitened() const { return data_.whitening != nullptr; }
  void to_gradient(float* g) const { data_.whitening->to_gradient(g, stride()); }
  void to_direction(float* p) const { data_.whitening->to_direction(p, stride()); }

 private:
  ColumnData data_;
  ColumnLoss loss_;
  CellBlock cells_;
  const BandedTranspose* transposed_;  // null for dense X
  std::size_t rows_, dimension_;
  LineVector<float> z_, dz_;
  LineVector<float> slope_;  // ∂loss/∂z of the last evaluation; curvatures borrow it in between
};

}  // namespace mmo
