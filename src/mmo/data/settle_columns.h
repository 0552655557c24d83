// From the cells of a table to numbers, categories, dates and texts: guessed, said by the user, or fixed by a
// model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/data/column_kinds.h"
#include "mmo/data/dataset.h"
#include "mmo/data/load.h"

namespace mmo {

struct FoundColumns {
  DenseMatrix x;                      // n × d: numbers, NaN = missing; whatever for the columns of `strings`
  std::vector<FeatureInfo> columns;   // d; with the categories that the file declares
  std::vector<std::uint32_t> places;  // of the columns of `strings` in x
  std::vector<StringColumn> strings;  // the columns in which not every cell is a number
};

// Columns whose texts are needed even where all of them are numbers.
[[nodiscard]] bool needs_texts(const std::string& name, const LoadOptions& options);

// Fills x, features, texts, left_out and notes of `data`. Throws ColumnFault for a cell that is not what its
// column is, DataError for columns that options name and the table lacks.
void settle_columns(FoundColumns&& found, const LoadOptions& options, Dataset& data);

}  // namespace mmo
