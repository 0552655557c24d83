// The memory layouts everything shares.
//   DenseMatrix  row-major float32, row i at data + i·cols.
//   CsrMatrix    rows of (index, value) pairs; indices ascending within a row, no repeats.
//   LabelMatrix  the same without values: the labels present in each row.
// Labels, features and rows count from 0 everywhere inside the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "mmo/core/buffer.h"

namespace mmo {

struct DenseMatrix {
  std::size_t rows = 0;
  std::size_t cols = 0;
  Buffer<float> values;

  DenseMatrix() = default;
  DenseMatrix(std::size_t n, std::size_t m, float fill = 0.0F) : rows(n), cols(m), values(n * m, fill) {}

  [[nodiscard]] std::span<float> row(std::size_t i) { return {values.data() + i * cols, cols}; }
  [[nodiscard]] std::span<const float> row(std::size_t i) const { return {values.data() + i * cols, cols}; }
  float& operator()(std::size_t i, std::size_t j) { return values[i * cols + j]; }
  float operator()(std::size_t i, std::size_t j) const { return values[i * cols + j]; }
};

struct CsrMatrix {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<std::uint64_t> offsets{0};  // rows + 1
  Buffer<std::uint32_t> indices;
  Buffer<float> values;

  [[nodiscard]] std::size_t nonzeros() const { return indices.size(); }
  [[nodiscard]] std::span<const std::uint32_t> row_indices(std::size_t i) const {
    return {indices.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
  [[nodiscard]] std::span<const float> row_values(std::size_t i) const {
    return {values.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

struct LabelMatrix {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<std::uint64_t> offsets{0};  // rows + 1
  std::vector<std::uint32_t> indices;     // ascending within a row

  [[nodiscard]] std::size_t positives() const { return indices.size(); }
  [[nodiscard]] std::span<const std::uint32_t> row(std::size_t i) const {
    return {indices.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
  // Appends a row; `labels` must be ascending.
  void push_row(std::span<const std::uint32_t> labels) {
    indices.insert(indices.end(), labels.begin(), labels.end());
    offsets.push_back(indices.size());
    ++rows;
  }
  // Appends all rows of another matrix (not of itself).
  void push_rows(const LabelMatrix& more);
};

// The labels of each column: rows that have label j (ascending).
LabelMatrix transpose(const LabelMatrix& labels);
// 1 for each label that some row has.
[[nodiscard]] std::vector<char> labels_in_use(const LabelMatrix& labels);

using Features = std::variant<DenseMatrix, CsrMatrix>;

[[nodiscard]] std::size_t feature_rows(const Features& x);
[[nodiscard]] std::size_t feature_cols(const Features& x);

// Passes lent numbers on without a copy (Buffer::share).
Features share(const Features& x);

// Copies the given rows, in the given order.
DenseMatrix take_rows(const DenseMatrix& x, std::span<const std::uint32_t> rows);
CsrMatrix take_rows(const CsrMatrix& x, std::span<const std::uint32_t> rows);
LabelMatrix take_rows(const LabelMatrix& y, std::span<const std::uint32_t> rows);
Features take_rows(const Features& x, std::span<const std::uint32_t> rows);
// The given columns, in the given order.
LabelMatrix take_columns(const LabelMatrix& y, std::span<const std::uint32_t> columns);

}  // namespace mmo
