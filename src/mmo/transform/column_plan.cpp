#include "mmo/transform/column_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "mmo/core/error.h"

namespace mmo {
namespace {

// A category in the file that the model does not know is an error only if a row has it.
constexpr std::uint32_t unknown_category = UINT32_MAX;

}  // namespace

ColumnPlan::ColumnPlan(const Encoder& encoder, const Dataset& data)
    : encoder_(encoder), data_(data), category_(encoder.raw_columns) {
  for (std::size_t k = 0; k < encoder.columns.size(); ++k) {
    if (!encoder.columns[k].nominal()) continue;
    std::unordered_map<std::string_view, std::uint32_t> number;
    for (const std::string& name : encoder.columns[k].categories)
      number.emplace(name, static_cast<std::uint32_t>(number.size()));
    for (const std::string& name : data.features[k].categories) {
      const auto found = number.find(name);
      category_[k].push_back(found == number.end() ? unknown_category : found->second);
    }
  }
}

std::optional<std::uint32_t> ColumnPlan::category(std::size_t row, std::size_t column, float value) const {
  const auto& numbers = category_[column];
  const bool valid =
      value >= 0.0F && value < static_cast<float>(numbers.size()) && value == std::floor(value);
  const std::uint32_t known = valid ? numbers[static_cast<std::size_t>(value)] : unknown_category;
  if (known != unknown_category) return known;
  if (valid && !encoder_.fill.empty()) return std::nullopt;
  const std::string shown =
      valid ? "\"" + data_.features[column].categories[static_cast<std::size_t>(value)] + "\""
            : fmt::format("number {}", value);
  throw DataError(
      data_.source, 0,
      fmt::format("row {}, {}: the model does not know the category {}; use one of the "
                  "training file's, or leave the value missing and train with --set missing=impute",
                  row + 1, column_name(data_.features, column), shown));
}

bool any_nominal(const std::vector<FeatureInfo>& columns) {
  return std::any_of(columns.begin(), columns.end(), [](const FeatureInfo& c) { return c.nominal(); });
}

std::string column_name(const std::vector<FeatureInfo>& columns, std::size_t k) {
  return k < columns.size() ? fmt::format("column {} (\"{}\")", k + 1, columns[k].name)
                            : fmt::format("column {}", k + 1);
}

}  // namespace mmo
