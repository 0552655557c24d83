#include "mmo/core/matrix.h"

#include <algorithm>
#include <limits>

namespace mmo {

void LabelMatrix::push_rows(const LabelMatrix& more) {
  const std::uint64_t before = indices.size();
  indices.insert(indices.end(), more.indices.begin(), more.indices.end());
  for (std::size_t i = 0; i < more.rows; ++i) offsets.push_back(before + more.offsets[i + 1]);
  rows += more.rows;
}

LabelMatrix transpose(const LabelMatrix& labels) {
  LabelMatrix out;
  out.rows = labels.cols;
  out.cols = labels.rows;
  out.offsets.assign(labels.cols + 1, 0);
  for (const std::uint32_t j : labels.indices) ++out.offsets[j + 1];
  for (std::size_t j = 0; j < labels.cols; ++j) out.offsets[j + 1] += out.offsets[j];
  out.indices.resize(labels.indices.size());
  std::vector<std::uint64_t> next(out.offsets.begin(), out.offsets.end() - 1);
  for (std::size_t i = 0; i < labels.rows; ++i) {
    for (const std::uint32_t j : labels.row(i)) out.indices[next[j]++] = static_cast<std::uint32_t>(i);
  }
  return out;
}

std::vector<char> labels_in_use(const LabelMatrix& labels) {
  std::vector<char> out(labels.cols, 0);
  for (const std::uint32_t j : labels.indices) out[j] = 1;
  return out;
}

std::size_t feature_rows(const Features& x) {
  return std::visit([](const auto& m) { return m.rows; }, x);
}

std::size_t feature_cols(const Features& x) {
  return std::visit([](const auto& m) { return m.cols; }, x);
}

namespace {

DenseMatrix share_parts(const DenseMatrix& x) {
  DenseMatrix out;
  out.rows = x.rows;
  out.cols = x.cols;
  out.values = x.values.share();
  return out;
}

CsrMatrix share_parts(const CsrMatrix& x) {
  CsrMatrix out;
  out.rows = x.rows;
  out.cols = x.cols;
  out.offsets = x.offsets;
  out.indices = x.indices.share();
  out.values = x.values.share();
  return out;
}

}  // namespace

Features share(const Features& x) {
  return std::visit([](const auto& m) { return Features(share_parts(m)); }, x);
}

DenseMatrix take_rows(const DenseMatrix& x, std::span<const std::uint32_t> rows) {
  DenseMatrix out(rows.size(), x.cols);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto from = x.row(rows[i]);
    std::copy(from.begin(), from.end(), out.row(i).begin());
  }
  return out;
}

CsrMatrix take_rows(const CsrMatrix& x, std::span<const std::uint32_t> rows) {
  CsrMatrix out;
  out.rows = rows.size();
  out.cols = x.cols;
  out.offsets.reserve(rows.size() + 1);
  for (const std::uint32_t i : rows) {
    const auto indices = x.row_indices(i);
    const auto values = x.row_values(i);
    out.indices.append(indices.begin(), indices.end());
    out.values.append(values.begin(), values.end());
    out.offsets.push_back(out.indices.size());
  }
  return out;
}

LabelMatrix take_rows(const LabelMatrix& y, std::span<const std::uint32_t> rows) {
  LabelMatrix out;
  out.cols = y.cols;
  for (const std::uint32_t i : rows) out.push_row(y.row(i));
  return out;
}

LabelMatrix take_columns(const LabelMatrix& y, std::span<const std::uint32_t> columns) {
  constexpr std::uint32_t dropped = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> place(y.cols, dropped);
  for (std::size_t k = 0; k < columns.size(); ++k) place[columns[k]] = static_cast<std::uint32_t>(k);
  LabelMatrix out;
  out.cols = columns.size();
  std::vector<std::uint32_t> row;
  for (std::size_t i = 0; i < y.rows; ++i) {
    row.clear();
    for (const std::uint32_t j : y.row(i)) {
      if (place[j] != dropped) row.push_back(place[j]);
    }
    std::sort(row.begin(), row.end());
    out.push_row(row);
  }
  return out;
}

Features take_rows(const Features& x, std::span<const std::uint32_t> rows) {
  return std::visit([&](const auto& m) { return Features(take_rows(m, rows)); }, x);
}

}  // namespace mmo
