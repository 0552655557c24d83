#include "mmo/objective/column_block.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "mmo/core/keep_columns.h"
#include "mmo/core/simd.h"
#include "mmo/objective/products.h"

namespace mmo {

ColumnBlock::ColumnBlock(const ColumnData& data, const ColumnLoss& loss, CellBlock cells)
    : data_(data),
      loss_(loss),
      cells_(std::move(cells)),
      transposed_(data.transposed != nullptr ? &data.transposed->of(std::get<CsrMatrix>(*data.x)) : nullptr),
      rows_(cells_.rows()),
      dimension_(feature_cols(*data.x) + 1),
      z_(rows_ * stride()),
      dz_(rows_ * stride()),
      slope_(rows_ * stride()) {}

void ColumnBlock::set_point(const float* w) {
  std::visit([&](const auto& x) { forward(x, w, stride(), z_.data()); }, *data_.x);
}

void ColumnBlock::set_direction(const float* p) {
  std::visit([&](const auto& x) { forward(x, p, stride(), dz_.data()); }, *data_.x);
}

// The Hessian's diagonal without the ridge: Σ_i loss″·x_ik².
void ColumnBlock::diagonal(float* out) {
  loss_curvature(loss_, cells_.cells(), z_.data(), slope_.data());
  if (transposed_ != nullptr) {
    transposed_->backward_squared(slope_.data(), stride(), out);
    return;
  }
  std::vector<double> mean(stride());
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t c = 0; c < stride(); ++c) mean[c] += slope_[i * stride() + c];
  }
  for (double& m : mean) m /= std::max<double>(data_.sizes.back(), 1e-12);
  const auto fill = [&](std::size_t k, const auto& own) {
    for (std::size_t c = 0; c < stride(); ++c) out[k * stride() + c] = static_cast<float>(own(mean[c]));
  };
  for (std::size_t k = 0; k < dimension_; ++k) {
    if (data_.whitening == nullptr || k + 1 == dimension_) {
      fill(k, [&](double m) { return m * data_.sizes[k]; });
    } else {
      // In its variables the Hessian is between ρ and ρ·mean/c, c the typical curvature; the latter, without
      // the ridge ρ, where the features vary most.
      fill(k, [&](double m) { return data_.whitening->ridge() * (m / data_.whitening->curvature() - 1); });
    }
  }
}

void ColumnBlock::line_curvature(double* out) {
  loss_curvature(loss_, cells_.cells(), z_.data(), slope_.data());
  std::fill_n(out, stride(), 0.0);
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t c = 0; c < stride(); ++c) {
      const std::size_t at = i * stride() + c;
      out[c] += static_cast<double>(slope_[at]) * dz_[at] * dz_[at];
    }
  }
}

void ColumnBlock::evaluate(const float* step, double* value) {
  evaluate_loss(loss_, cells_.cells(), z_.data(), step != nullptr ? dz_.data() : nullptr, step, slope_.data(),
                value);
}

void ColumnBlock::gradient(float* g) const {
  if (transposed_ != nullptr) {
    transposed_->backward(slope_.data(), stride(), g);
  } else {
    backward(std::get<DenseMatrix>(*data_.x), slope_.data(), stride(), g);
  }
}

MMO_SIMD void ColumnBlock::advance(const float* step) {
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t c = 0; c < stride(); c += lanes) {
      const std::size_t at = i * stride() + c;
      store8(z_.data() + at, load8(z_.data() + at) + load8(step + c) * load8(dz_.data() + at));
    }
  }
}

void ColumnBlock::compact(std::span<const std::size_t> keep) {
  const std::size_t before = stride();
  cells_.compact(keep);
  keep_columns(z_, rows_, before, keep, stride());
  dz_.resize(rows_ * stride());
  slope_.resize(rows_ * stride());
}

}  // namespace mmo
