// Dense or sparse rows as they came, with nominal columns one-hot coded in place and the marks of missing
// values at the end.
#pragma once

#include "mmo/transform/encoder.h"

namespace mmo {

// Cells are finite or NaN; columns are the encoder's.
[[nodiscard]] Features one_hot(const Encoder& encoder, const Dataset& data);

// Mostly zero rows as encoder.sparse lays them out; x is dense.
[[nodiscard]] CsrMatrix sparse_rows(const Encoder& encoder, const Dataset& data);

}  // namespace mmo
