// Predicted sets of labels as files: written by `mmo predict`, read back by `mmo evaluate --predictions`.
//   names      one row per line, labels separated by tabs, after the row's id if there are ids;
//              in a name tab, newline and \ become \t, \n and \\,
//              other control characters \x1b
//   indicator  CSV: a heading of label names (csv_name()), then 0 / 1 (probabilities with --scores); ids come
//              first
//   jsonl      one object per line: {"id": ..., "labels": [...], "scores": {...}}
//   svmlight   labels separated by commas (probabilities as index:value with --scores); a label is its name
//              if all names are whole numbers, else its index from 0; ids as a comment
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mmo/core/atomic_file.h"
#include "mmo/core/matrix.h"

namespace mmo::cli {

enum class PredictionFormat { names, indicator, jsonl, svmlight };
[[nodiscard]] PredictionFormat parse_prediction_format(const std::string& name);

// What a label is called in the form `names`: see above.
[[nodiscard]] std::string escaped_name(const std::string& name);
// What a label is called in svmlight: see above.
[[nodiscard]] std::vector<std::string> svmlight_names(const std::vector<std::string>& label_names);

class PredictionWriter {
 public:
  // `id_column` "" = rows have no ids.
  PredictionWriter(AtomicFile& out, PredictionFormat format, std::vector<std::string> label_names,
                   bool scores, const std::string& id_column = {});
  // `labels` in the order to show; `probabilities` of all labels.
  void write_row(std::span<const std::uint32_t> labels, std::span<const float> probabilities,
                 const std::string& id = {});

 private:
  [[nodiscard]] std::string json_line(std::span<const std::uint32_t> labels,
                                      std::span<const float> probabilities, const std::string& id) const;

  AtomicFile& out_;
  PredictionFormat format_;
  std::vector<std::string> names_;
  bool scores_;
  bool ids_;
};

// What predictions are to be of.
struct ExpectedRows {
  std::size_t rows = 0;
  std::vector<std::string> ids;  // empty = the file has none
};
// Reads any of the four formats; no format = recognised by content. Throws DataError with file, line and
// value, also if ids are not those of the data.
[[nodiscard]] LabelMatrix read_predictions(const std::string& path, std::optional<PredictionFormat> format,
                                           const std::vector<std::string>& label_names,
                                           const ExpectedRows& expected);

}  // namespace mmo::cli
