#include "mmo/data/dataset.h"

#include "mmo/core/mapped_file.h"

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

}  // namespace

void throw_if_changed(const Dataset& data) {
  if (data.lender) throw_if_changed(data.lender->bytes(), data.lender->name());
}

Dataset take_rows(const Dataset& data, std::span<const std::uint32_t> rows) {
  Dataset out;
  out.source = data.source;
  out.x = take_rows(data.x, rows);
  out.documents = take(data.documents, rows);
  out.features = data.features;
  for (const TextColumn& text : data.texts) out.texts.push_back({text.name, take(text.cells, rows)});
  out.left_out = data.left_out;
  out.y = take_rows(data.y, rows);
  if (data.unknown.rows > 0) out.unknown = take_rows(data.unknown, rows);
  out.label_names = data.label_names;
  out.row_weights = take(data.row_weights, rows);
  out.groups = take(data.groups, rows);
  out.ids = take(data.ids, rows);
  return out;
}

Dataset take_labels(const Dataset& data, std::span<const std::uint32_t> labels) {
  Dataset out = data;
  out.y = take_columns(data.y, labels);
  if (data.unknown.rows > 0) out.unknown = take_columns(data.unknown, labels);
  out.label_names = take(data.label_names, labels);
  return out;
}

}  // namespace mmo
