// From raw columns to numbers: unknown values are filled and marked, nominal columns one-hot coded, columns
// of prose become tf-idf. Fitted on the training part, stored in the model, applied to every later file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/core/table.h"
#include "mmo/data/align_columns.h"
#include "mmo/data/dataset.h"
#include "mmo/text/vectorizer.h"

namespace mmo {

// mark: filled with the median, plus a column that says whether the value was missing.
enum class MissingFeatures { refuse, impute, mark };

struct WordColumn {
  std::string name;
  Vectorizer words;
};

// Rows that are mostly zero: words mixed with other columns, or many categories. Numbers become hats: column
// k of a number's outputs is 1 at knot k and falls to 0 at the neighbouring knots, so a linear model of them
// is piecewise linear in the number.
struct SparseLayout {
  std::vector<std::vector<float>> knots;  // of each numeric raw column, ascending; empty for nominal ones
  std::vector<WordColumn> words;
};

struct Encoder {
  std::vector<FeatureInfo> columns;  // of the raw data; empty = unnamed numeric columns
  std::size_t raw_columns = 0;
  // Per raw column: mean or median (numeric) or −1 (nominal: all zeros); empty = unknown values are refused.
  std::vector<float> fill;
  std::vector<std::uint8_t>
      marked;  // per raw column: 1 = one output says whether the value is missing; empty = none
  std::optional<SparseLayout> sparse;  // else outputs are as dense as the raw columns

  [[nodiscard]] bool identity() const;  // nothing to impute, no nominal column, no words
  // Do columns hold what numbers alone can't express, categories or missing values?
  [[nodiscard]] bool recodes() const;
  // How many categories each raw column has, 0 = a number; empty = numbers only.
  [[nodiscard]] std::vector<std::uint32_t> category_counts() const;
  [[nodiscard]] std::size_t outputs() const;
  [[nodiscard]] std::vector<std::string> output_names()
      const;  // "colour=red" for one-hot columns; empty if unnamed
  [[nodiscard]] InputColumns inputs() const;
};

// Throws DataError naming the row and column of the first infinite value, or of the first unknown one when
// refusing. `notes` gets what the user should know, such as too many categories.
[[nodiscard]] Encoder fit_encoder(const Dataset& data, MissingFeatures missing, const TextOptions& text = {},
                                  std::vector<std::string>* notes = nullptr);

// Throws DataError if the columns of `data` do not fit (count, name, category unknown to the model), and for
// unknown or infinite values like fit_encoder. A nominal column becomes one column per category, in place; a
// cell that a sparse row leaves out is its first category, as in sparse ARFF. Marks come last, before words.
[[nodiscard]] Features encode(const Encoder& encoder, const Dataset& data);
// The same, taking the features out of `data`: no copy when there is nothing to change.
[[nodiscard]] Features encode(const Encoder& encoder, Dataset&& data);

// The numbers and categories as they are, for learners that need no coding: categories by the model's
// numbers, unknown ones as missing. For data that encode() accepts.
[[nodiscard]] Table table_of(const Encoder& encoder, const Dataset& data);

}  // namespace mmo
