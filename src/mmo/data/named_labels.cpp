#include "mmo/data/named_labels.h"

#include <algorithm>

#include "mmo/data/label_columns.h"

namespace mmo {

std::uint32_t NamedLabels::number(std::string_view name) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(names_.size());
  numbers_.emplace(names_.emplace_back(name), number);
  return number;
}

std::vector<std::string> NamedLabels::sorted_names() const {
  std::vector<std::string> sorted(names_.begin(), names_.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

LabelMatrix relabel(const LabelMatrix& labels, std::span<const std::uint32_t> column, std::size_t cols) {
  LabelMatrix out;
  out.cols = cols;
  std::vector<std::uint32_t> row;
  for (std::size_t i = 0; i < labels.rows; ++i) {
    row.clear();
    for (const std::uint32_t j : labels.row(i)) {
      if (column[j] != no_label) row.push_back(column[j]);
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    out.push_row(row);
  }
  return out;
}

}  // namespace mmo
