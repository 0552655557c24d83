#include "mmo/data/dataset.h"

#include <algorithm>
#include <limits>

namespace mmo {
namespace {

template <class T>
std::vector<T> take(const std::vector<T>& items, std::span<const std::uint32_t> which) {
  std::vector<T> out;
  if (items.empty()) return out;
  out.reserve(which.size());
  for (const std::uint32_t i : which) out.push_back(items[i]);
  return out;
}

constexpr std::uint32_t dropped = std::numeric_limits<std::uint32_t>::max();

LabelMatrix take_columns(const LabelMatrix& y, const std::vector<std::uint32_t>& new_index,
                         std::size_t cols) {
  LabelMatrix out;
  out.cols = cols;
  std::vector<std::uint32_t> row;
  for (std::size_t i = 0; i < y.rows; ++i) {
    row.clear();
    for (const std::uint32_t j : y.row(i)) {
      if (new_index[j] != dropped) row.push_back(new_index[j]);
    }
    std::sort(row.begin(), row.end());
    out.push_row(row);
  }
  return out;
}

}  // namespace

Dataset take_rows(const Dataset& data, std::span<const std::uint32_t> rows) {
  Dataset out;
  out.source = data.source;
  out.x = take_rows(data.x, rows);
  out.documents = take(data.documents, rows);
  out.features = data.features;
  out.y = take_rows(data.y, rows);
  if (data.unknown.rows > 0) out.unknown = take_rows(data.unknown, rows);
  out.label_names = data.label_names;
  out.row_weights = take(data.row_weights, rows);
  out.groups = take(data.groups, rows);
  return out;
}

Dataset take_labels(const Dataset& data, std::span<const std::uint32_t> labels) {
  Dataset out = data;
  std::vector<std::uint32_t> new_index(data.labels(), dropped);
  for (std::size_t k = 0; k < labels.size(); ++k) new_index[labels[k]] = static_cast<std::uint32_t>(k);
  out.y = take_columns(data.y, new_index, labels.size());
  if (data.unknown.rows > 0) out.unknown = take_columns(data.unknown, new_index, labels.size());
  out.label_names = take(data.label_names, labels);
  return out;
}

}  // namespace mmo
