// Small tables for tests of trees.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/core/table.h"
#include "mmo/eval/evaluate.h"

namespace mmo {

inline constexpr float missing_value = std::numeric_limits<float>::quiet_NaN();

struct Sample {
  Table table;
  LabelMatrix labels, unknown;
  std::vector<float> row_weights;

  [[nodiscard]] Truth truth() const {
    return {&labels, unknown.rows > 0 ? &unknown : nullptr, row_weights, {}};
  }
};

struct SampleShape {
  std::size_t rows = 60, columns = 5, labels = 3;
  std::size_t values = 0;      // so many whole numbers from 0 up; 0 = continuous
  double missing = 0;          // share of missing cells
  std::size_t categories = 0;  // of the last column; 0 = a number
};

// Labels that depend on the first columns and on chance.
inline Sample random_sample(const SampleShape& shape, std::uint64_t seed) {
  Random random(seed);
  Sample out;
  DenseMatrix x(shape.rows, shape.columns);
  out.labels.cols = shape.labels;
  for (std::size_t i = 0; i < shape.rows; ++i) {
    for (std::size_t k = 0; k < shape.columns; ++k) {
      const bool nominal = shape.categories > 0 && k + 1 == shape.columns;
      const std::size_t values = nominal ? shape.categories : shape.values;
      x(i, k) = static_cast<float>(values > 0 ? static_cast<double>(random.below(values)) : random.normal());
      if (random.uniform() < shape.missing) x(i, k) = missing_value;
    }
    std::vector<std::uint32_t> row;
    for (std::uint32_t j = 0; j < shape.labels; ++j) {
      const float signal = x(i, j % shape.columns);
      if (random.normal() + (std::isnan(signal) ? 1.0 : signal) > 0.8) row.push_back(j);
    }
    out.labels.push_row(row);
  }
  out.table.values = std::move(x);
  if (shape.categories > 0) {
    out.table.categories.assign(shape.columns, 0);
    out.table.categories.back() = static_cast<std::uint32_t>(shape.categories);
  }
  return out;
}

inline Sample take(const Sample& from, const std::vector<std::uint32_t>& rows) {
  Sample out;
  out.table = {take_rows(from.table.values, rows), from.table.categories};
  out.labels = take_rows(from.labels, rows);
  if (from.unknown.rows > 0) out.unknown = take_rows(from.unknown, rows);
  for (const std::uint32_t i : rows) {
    if (!from.row_weights.empty()) out.row_weights.push_back(from.row_weights[i]);
  }
  return out;
}

// The same values as a sparse table.
inline Table as_sparse(const Table& table) {
  const auto& dense = std::get<DenseMatrix>(table.values);
  CsrMatrix out;
  out.rows = dense.rows;
  out.cols = dense.cols;
  for (std::size_t i = 0; i < dense.rows; ++i) {
    for (std::uint32_t k = 0; k < dense.cols; ++k) {
      if (dense(i, k) == 0.0F) continue;
      out.indices.push_back(k);
      out.values.push_back(dense(i, k));
    }
    out.offsets.push_back(out.indices.size());
  }
  return {std::move(out), table.categories};
}

}  // namespace mmo
