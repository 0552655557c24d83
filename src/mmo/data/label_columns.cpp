#include "mmo/data/label_columns.h"

#include <algorithm>
#include <unordered_map>

#include "mmo/core/printable.h"

namespace mmo {

std::string shown(std::string_view value) {
  constexpr std::size_t longest = 40;
  return "'" + printable(shortened(value, longest)) + "'";
}

std::vector<std::uint32_t> label_columns(const std::vector<std::string_view>& names,
                                         const std::vector<std::string>& expected) {
  std::unordered_map<std::string_view, std::uint32_t> column;
  for (const auto& name : expected) column.emplace(name, static_cast<std::uint32_t>(column.size()));
  std::vector<std::uint32_t> columns;
  columns.reserve(names.size());
  for (const auto name : names) {
    const auto found = column.find(name);
    columns.push_back(found == column.end() ? no_label : found->second);
  }
  return columns;
}

std::string unknown_label_message(std::string_view name) {
  return "label " + shown(name) +
         " is not one of the model's labels (mmo inspect lists them): rename or remove it, or train a model "
         "that knows it";
}

bool refuses_unseen(const LoadOptions& options) {
  return options.need_labels && options.unseen_labels == UnseenLabels::refuse;
}

std::vector<std::string> labels_for_model(const std::vector<std::string_view>& names,
                                          const LoadOptions& options) {
  std::vector<std::string> labels = *options.expected_labels;
  if (!options.need_labels || options.unseen_labels != UnseenLabels::keep) return labels;
  const auto known = static_cast<std::ptrdiff_t>(labels.size());
  const std::vector<std::uint32_t> columns = label_columns(names, labels);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (columns[k] == no_label) labels.emplace_back(names[k]);
  }
  std::sort(labels.begin() + known, labels.end());
  return labels;
}

}  // namespace mmo
