// A multi-label data set in memory, as every reader returns it and every stage takes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mmo/core/file.h"
#include "mmo/core/matrix.h"
#include "mmo/data/dates.h"

namespace mmo {

// One input column. A nominal column holds the index of its category as a number, a date the days since 1970;
// an unknown value is NaN in all kinds. Nominal columns whose categories are all numbers are read as numeric.
struct FeatureInfo {
  std::string name;
  std::vector<std::string> categories = {};  // empty = numeric
  DateOrder date = DateOrder::none;          // how the dates of the column are written

  [[nodiscard]] bool nominal() const { return !categories.empty(); }
};

// A column of prose beside other columns.
struct TextColumn {
  std::string name;
  std::vector<std::string> cells;  // one per row; empty = missing
};

// A column that nothing can be learned from, and why.
struct LeftOutColumn {
  std::string name, why;
};

struct Dataset {
  std::string source;  // what error messages call it: a path, or "standard input"

  Features x;                          // n × d; an empty n × 0 dense matrix when the rows are raw text
  std::vector<std::string> documents;  // raw text, one per row; empty when x holds the features
  std::vector<FeatureInfo> features;   // d, or empty when the format has no names (then f0, f1, …)
  std::vector<TextColumn> texts;       // columns of prose beside those of x
  std::vector<LeftOutColumn> left_out;

  LabelMatrix y;                         // n × l
  LabelMatrix unknown;                   // cells of y whose value is not known; 0 rows when all are known
  std::vector<std::string> label_names;  // l, or empty when the format has no names (then 0, 1, …)

  std::vector<float> row_weights;     // n, or empty (all 1)
  std::vector<std::string> groups;    // n, or empty: rows of one group never straddle a split
  std::vector<std::string> ids;       // n, or empty: what the rows are called
  std::optional<int> index_base;      // of an svmlight file: its first feature index, 0 or 1
  std::vector<std::string> notes;     // remarks of the reader worth showing to the user (warnings)
  std::optional<FileContent> lender;  // the file that the numbers of x are read from when they are needed

  [[nodiscard]] std::size_t rows() const { return y.rows; }
  [[nodiscard]] std::size_t labels() const { return y.cols; }
  [[nodiscard]] bool is_text() const { return !documents.empty(); }
  [[nodiscard]] std::size_t columns() const { return feature_cols(x) + texts.size(); }
  [[nodiscard]] std::string label_name(std::size_t j) const {
    return j < label_names.size() ? label_names[j] : std::to_string(j);
  }
  [[nodiscard]] std::string feature_name(std::size_t k) const {
    return k < features.size() ? features[k].name : "f" + std::to_string(k);
  }
};

// Throws IoError if the numbers are another file's by now: somebody has written to the one they are read
// from. Call it when they have been used.
void throw_if_changed(const Dataset& data);

// The given rows in the given order, everything that belongs to them included.
Dataset take_rows(const Dataset& data, std::span<const std::uint32_t> rows);
// Keeps only the given labels, in the given order.
Dataset take_labels(const Dataset& data, std::span<const std::uint32_t> labels);

}  // namespace mmo
