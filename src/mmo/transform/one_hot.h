// Dense or sparse rows, as they came, with their nominal columns one-hot coded in place and the marks of
// missing values behind.
#pragma once

#include "mmo/transform/encoder.h"

namespace mmo {

// Cells are finite or NaN, columns those of the encoder.
[[nodiscard]] Features one_hot(const Encoder& encoder, const Dataset& data);

// Mostly zero rows as encoder.sparse lays them out; x is dense.
[[nodiscard]] CsrMatrix sparse_rows(const Encoder& encoder, const Dataset& data);

}  // namespace mmo
