#include "mmo/objective/column_block.h"

#include <algorithm>

#include "mmo/core/simd.h"
#include "mmo/objective/products.h"

namespace mmo {

std::vector<float> column_sizes(const Features& x, std::span<const float> row_weights) {
  const auto weight = [&](std::size_t i) {
    return row_weights.empty() ? 1.0 : static_cast<double>(row_weights[i]);
  };
  std::vector<double> sums(feature_cols(x) + 1);
  if (const auto* dense = std::get_if<DenseMatrix>(&x)) {
    for (std::size_t i = 0; i < dense->rows; ++i) {
      const auto row = dense->row(i);
      for (std::size_t k = 0; k < row.size(); ++k) sums[k] += weight(i) * row[k] * row[k];
      sums.back() += weight(i);
    }
  } else {
    const auto& sparse = std::get<CsrMatrix>(x);
    for (std::size_t i = 0; i < sparse.rows; ++i) {
      const auto indices = sparse.row_indices(i);
      const auto values = sparse.row_values(i);
      for (std::size_t e = 0; e < indices.size(); ++e) sums[indices[e]] += weight(i) * values[e] * values[e];
      sums.back() += weight(i);
    }
  }
  return {sums.begin(), sums.end()};
}

ColumnBlock::ColumnBlock(const ColumnData& data, const ColumnLoss& loss, std::span<const Column> columns)
    : data_(data),
      loss_(loss),
      rows_(feature_rows(*data.x)),
      dimension_(feature_cols(*data.x) + 1),
      stride_(round_up(columns.size(), lanes)),
      sign_(rows_ * stride_),
      positive_(stride_),
      negative_(stride_),
      z_(rows_ * stride_),
      dz_(rows_ * stride_),
      slope_(rows_ * stride_) {
  for (std::size_t i = 0; i < rows_; ++i)
    std::fill_n(sign_.begin() + static_cast<std::ptrdiff_t>(i * stride_), columns.size(), std::int8_t{-1});
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c];
    const bool flipped = column.flipped();
    positive_[c] = flipped ? -column.negative : column.positive;
    negative_[c] = flipped ? -column.positive : column.negative;
    for (std::size_t i = 0; i < rows_ && flipped; ++i) sign_[i * stride_ + c] = 1;
    const auto present = static_cast<std::int8_t>(flipped ? -1 : 1);
    for (const std::uint32_t i : data.rows_of_label->row(column.label)) sign_[i * stride_ + c] = present;
    if (data.unknown_rows_of_label != nullptr) {
      for (const std::uint32_t i : data.unknown_rows_of_label->row(column.label)) sign_[i * stride_ + c] = 0;
    }
  }
  for (std::size_t i = 0; i < rows_ && !data.fold_of_row.empty(); ++i) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].held_out == static_cast<std::int32_t>(data.fold_of_row[i])) sign_[i * stride_ + c] = 0;
    }
  }
}

ColumnBlock::Sides ColumnBlock::sides() const {
  Sides out{std::vector<double>(stride_), std::vector<double>(stride_)};
  for (std::size_t i = 0; i < rows_; ++i) {
    const double weight = data_.row_weights.empty() ? 1.0 : static_cast<double>(data_.row_weights[i]);
    for (std::size_t c = 0; c < stride_; ++c) {
      const std::int8_t sign = sign_[i * stride_ + c];
      out.up[c] += sign > 0 ? weight : 0.0;
      out.down[c] += sign < 0 ? weight : 0.0;
    }
  }
  for (std::size_t c = 0; c < stride_; ++c) {
    out.up[c] *= positive_[c];
    out.down[c] *= negative_[c];
  }
  return out;
}

ColumnCells ColumnBlock::cells() const {
  return {rows_,
          stride_,
          sign_.data(),
          data_.row_weights.empty() ? nullptr : data_.row_weights.data(),
          positive_.data(),
          negative_.data(),
          data_.row_cost.empty() ? nullptr : data_.row_cost.data()};
}

void ColumnBlock::set_point(const float* w) {
  std::visit([&](const auto& x) { forward(x, w, stride_, z_.data()); }, *data_.x);
}

void ColumnBlock::set_direction(const float* p) {
  std::visit([&](const auto& x) { forward(x, p, stride_, dz_.data()); }, *data_.x);
}

// The Hessian's diagonal without the ridge: Σ_i loss″·x_ik².
void ColumnBlock::diagonal(float* out) {
  loss_curvature(loss_, cells(), z_.data(), slope_.data());
  if (data_.transposed != nullptr) {
    data_.transposed->backward_squared(slope_.data(), stride_, out);
    return;
  }
  std::vector<double> mean(stride_);
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t c = 0; c < stride_; ++c) mean[c] += slope_[i * stride_ + c];
  }
  for (double& m : mean) m /= std::max<double>(data_.sizes.back(), 1e-12);
  const auto fill = [&](std::size_t k, const auto& own) {
    for (std::size_t c = 0; c < stride_; ++c) out[k * stride_ + c] = static_cast<float>(own(mean[c]));
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
  loss_curvature(loss_, cells(), z_.data(), slope_.data());
  std::fill_n(out, stride_, 0.0);
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t c = 0; c < stride_; ++c) {
      const std::size_t at = i * stride_ + c;
      out[c] += static_cast<double>(slope_[at]) * dz_[at] * dz_[at];
    }
  }
}

void ColumnBlock::evaluate(const float* step, double* value) {
  evaluate_loss(loss_, cells(), z_.data(), step != nullptr ? dz_.data() : nullptr, step, slope_.data(),
                value);
}

void ColumnBlock::gradient(float* g) const {
  if (data_.transposed != nullptr) {
    data_.transposed->backward(slope_.data(), stride_, g);
  } else {
    backward(std::get<DenseMatrix>(*data_.x), slope_.data(), stride_, g);
  }
}

MMO_SIMD void ColumnBlock::advance(const float* step) {
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t c = 0; c < stride_; c += lanes) {
      const std::size_t at = i * stride_ + c;
      store8(z_.data() + at, load8(z_.data() + at) + load8(step + c) * load8(dz_.data() + at));
    }
  }
}

void ColumnBlock::compact(std::span<const std::size_t> keep) {
  const std::size_t new_stride = round_up(keep.size(), lanes);
  const auto narrow = [&](auto& block, std::size_t rows) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t c = 0; c < keep.size(); ++c) block[i * new_stride + c] = block[i * stride_ + keep[c]];
      for (std::size_t c = keep.size(); c < new_stride; ++c) block[i * new_stride + c] = 0;
    }
    block.resize(rows * new_stride);
  };
  narrow(sign_, rows_);
  narrow(z_, rows_);
  for (auto* row : {&positive_, &negative_}) narrow(*row, 1);
  dz_.resize(rows_ * new_stride);
  slope_.resize(rows_ * new_stride);
  stride_ = new_stride;
}

}  // namespace mmo
