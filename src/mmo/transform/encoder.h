// From raw columns to numbers: unknown values are imputed, nominal columns one-hot coded. Fitted on the
// training part, stored in the model, applied to every later file.
#pragma once

#include <string>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/data/dataset.h"

namespace mmo {

enum class MissingFeatures { refuse, impute };

struct Encoder {
  std::vector<FeatureInfo> columns;  // of the raw data; empty = unnamed numeric columns
  std::size_t raw_columns = 0;
  std::vector<float> fill;  // per raw column: mean (numeric) or −1 (nominal: all zeros); empty = refuse
  [[nodiscard]] bool identity() const;  // nothing to impute, no nominal column
  [[nodiscard]] std::size_t outputs() const;
  [[nodiscard]] std::vector<std::string> output_names()
      const;  // "colour=red" for one-hot columns; empty if unnamed
};

// Throws DataError naming the row and column of the first infinite value, or of the first unknown one when
// refusing.
[[nodiscard]] Encoder fit_encoder(const Dataset& data, MissingFeatures missing);

// Throws DataError if the columns of `data` do not fit (count, name, category unknown to the model), and for
// unknown or infinite values like fit_encoder. A nominal column becomes one column per category, in place; a
// cell that a sparse row leaves out is its first category, as in sparse ARFF.
[[nodiscard]] Features encode(const Encoder& encoder, const Dataset& data);
// The same, taking the features out of `data`: no copy when there is nothing to change.
[[nodiscard]] Features encode(const Encoder& encoder, Dataset&& data);

}  // namespace mmo
