// Brings a data set's columns into the order that a model knows, by their names.
#pragma once

#include <string>
#include <vector>

#include "mmo/data/dataset.h"

namespace mmo {

// The columns that a model reads.
struct InputColumns {
  std::vector<FeatureInfo> features;  // empty = it knows no names
  std::vector<std::string> texts;

  [[nodiscard]] bool named() const { return !features.empty() || !texts.empty(); }
};

[[nodiscard]] InputColumns input_columns(const Dataset& data);

// Reorders the columns of `data`; those that the model does not read are dropped, with a note. Categories
// keep the file's own numbers; a note tells of those that the model has not seen. Throws DataError naming the
// columns that are missing or of another kind. Data without names stay as they are.
void align_columns(Dataset& data, const InputColumns& expected);

// "'a', 'b' and 3 more"
[[nodiscard]] std::string some_of(const std::vector<std::string>& names);

}  // namespace mmo
