// What a file's categories mean to a model: files may list them in another order, or have new ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mmo/transform/encoder.h"

namespace mmo {

class ColumnPlan {
 public:
  // Both must outlive the plan; their columns have the same names.
  ColumnPlan(const Encoder& encoder, const Dataset& data);

  [[nodiscard]] bool nominal(std::size_t column) const { return !category_[column].empty(); }
  // The model's number of a nominal cell that is not NaN. Nothing if the model does not know it but accepts
  // missing values; otherwise throws DataError, as it does for numbers that are no category of the file.
  [[nodiscard]] std::optional<std::uint32_t> category(std::size_t row, std::size_t column, float value) const;

 private:
  const Encoder& encoder_;
  const Dataset& data_;
  std::vector<std::vector<std::uint32_t>> category_;  // file → model; empty = numeric
};

[[nodiscard]] bool any_nominal(const std::vector<FeatureInfo>& columns);
// "column 3 ("price")"
[[nodiscard]] std::string column_name(const std::vector<FeatureInfo>& columns, std::size_t k);

}  // namespace mmo
