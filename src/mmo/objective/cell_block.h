// The cells of a block of columns: their signs and costs, without the features.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mmo/loss/column_loss.h"
#include "mmo/objective/column_data.h"

namespace mmo {

class CellBlock {
 public:
  CellBlock(const ColumnData& data, std::span<const Column> columns);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] ColumnCells cells() const;
  void compact(std::span<const std::size_t> keep);

  // The weight, costs included, of the training rows pulling each column up and down.
  struct Sides {
    std::vector<double> up, down;
  };
  [[nodiscard]] Sides sides() const;

 private:
  std::span<const float> row_weights_, row_cost_;
  std::size_t rows_, stride_;
  std::vector<std::int8_t> sign_;
  std::vector<float> positive_, negative_;
};

}  // namespace mmo
