#include "mmo/objective/cell_block.h"

#include <algorithm>

#include "mmo/core/keep_columns.h"
#include "mmo/core/simd.h"

namespace mmo {

CellBlock::CellBlock(const ColumnData& data, std::span<const Column> columns)
    : row_weights_(data.row_weights),
      row_cost_(data.row_cost),
      rows_(feature_rows(*data.x)),
      stride_(round_up(columns.size(), lanes)),
      sign_(rows_ * stride_),
      positive_(stride_),
      negative_(stride_) {
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
  if (data.fold_of_row.empty()) return;
  // Neighbouring columns mostly leave out the same fold.
  for (std::size_t first = 0, last = 0; first < columns.size(); first = last) {
    const std::int32_t held_out = columns[first].held_out;
    while (last < columns.size() && columns[last].held_out == held_out) ++last;
    for (std::size_t i = 0; i < rows_ && held_out >= 0; ++i) {
      if (static_cast<std::int32_t>(data.fold_of_row[i]) == held_out)
        std::fill_n(sign_.data() + i * stride_ + first, last - first, std::int8_t{0});
    }
  }
}

CellBlock::Sides CellBlock::sides() const {
  Sides out{std::vector<double>(stride_), std::vector<double>(stride_)};
  std::vector<float> up(stride_);
  std::vector<float> down(stride_);
  constexpr std::size_t run = 64;  // rows summed in floats before they go to doubles
  for (std::size_t i = 0; i < rows_; ++i) {
    const float weight = row_weights_.empty() ? 1.0F : row_weights_[i];
    const std::int8_t* sign = sign_.data() + i * stride_;
    for (std::size_t c = 0; c < stride_; ++c) {
      up[c] += sign[c] > 0 ? weight : 0.0F;
      down[c] += sign[c] < 0 ? weight : 0.0F;
    }
    if ((i + 1) % run != 0 && i + 1 != rows_) continue;
    for (std::size_t c = 0; c < stride_; ++c) {
      out.up[c] += static_cast<double>(up[c]);
      out.down[c] += static_cast<double>(down[c]);
      up[c] = down[c] = 0.0F;
    }
  }
  for (std::size_t c = 0; c < stride_; ++c) {
    out.up[c] *= positive_[c];
    out.down[c] *= negative_[c];
  }
  return out;
}

ColumnCells CellBlock::cells() const {
  return {rows_,
          stride_,
          sign_.data(),
          row_weights_.empty() ? nullptr : row_weights_.data(),
          positive_.data(),
          negative_.data(),
          row_cost_.empty() ? nullptr : row_cost_.data()};
}

void CellBlock::compact(std::span<const std::size_t> keep) {
  const std::size_t new_stride = round_up(keep.size(), lanes);
  keep_columns(sign_, rows_, stride_, keep, new_stride);
  for (auto* row : {&positive_, &negative_}) keep_columns(*row, 1, stride_, keep, new_stride);
  stride_ = new_stride;
}

}  // namespace mmo
