#include "mmo/data/label_columns.h"

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

}  // namespace mmo
