#include "mmo/objective/column_block.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "mmo/objective/products.h"

namespace mmo {

ColumnBlock::ColumnBlock(const ColumnData& data, const ColumnLoss& loss, CellBlock cells)
    : data_(data),
      loss_(loss),
      cells_(std::move(cells)),
      transposed_(data.transposed != nullptr ? &data.transposed->of(std::get<CsrMatrix>(*data.x)) : nullptr),
      dimension_(feature_cols(*data.x) + 1) {}

// z = (X, 1)·w
void ColumnBlock::scores(const float* w, float* z) const {
  std::visit([&](const auto& x) { forward(x, w, stride(), z); }, *data_.x);
}

void ColumnBlock::evaluate(const float* z, const float* dz, const float* step, float* slope,
                           double* value) const {
  evaluate_loss(loss_, cells_.cells(), z, dz, step, slope, value);
}

// g = (X, 1)ᵀ·slope
void ColumnBlock::gradient(const float* slope, float* g) const {
  if (transposed_ != nullptr) {
    transposed_->backward(slope, stride(), g);
  } else {
    backward(std::get<DenseMatrix>(*data_.x), slope, stride(), g);
  }
}

void ColumnBlock::curvature(const float* z, float* out) const {
  loss_curvature(loss_, cells_.cells(), z, out);
}

// The Hessian's diagonal without the ridge: Σ_i loss″·x_ik².
void ColumnBlock::diagonal(const float* curvature, float* out) const {
  if (transposed_ != nullptr) {
    transposed_->backward_squared(curvature, stride(), out);
    return;
  }
  std::vector<double> mean(stride());
  for (std::size_t i = 0; i < rows(); ++i) {
    for (std::size_t c = 0; c < stride(); ++c) mean[c] += curvature[i * stride() + c];
  }
  for (double& m : mean) m /= std::max<double>(data_.sizes.back(), 1e-12);
  const auto fill = [&](std::size_t k, const auto& own) {
    for (std::size_t c = 0; c < stride(); ++c) out[k * stride() + c] = static_cast<float>(own(mean[c]));
  };
  for (std::size_t k = 0; k < dimension_; ++k) {
    if (data_.whitening == nullptr || k + 1 == dimension_) {
      fill(k, [&](double m) { return m * data_.sizes[k]; });
    } else {
      // In its variables the Hessian is between ρ and ρ·mean/c, c being the typical curvature. Take the
      // latter, less the ridge ρ: it applies where the features vary most.
      fill(k, [&](double m) { return data_.whitening->ridge() * (m / data_.whitening->curvature() - 1); });
    }
  }
}

}  // namespace mmo
