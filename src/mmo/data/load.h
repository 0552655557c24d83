// From a file to a Dataset: one entry point for every format. Tables are CSV, TSV, ARFF and JSON lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mmo/data/align_columns.h"
#include "mmo/data/dataset.h"

namespace mmo {

class FileContent;
class FileSet;

enum class Format { automatic, arff, svmlight, xmc, csv, tsv, jsonl, npz, fasttext, reuters, lines };
enum class IndexBase { automatic, zero, one };

// One table: name ↔ format ("arff", "svmlight", "xmc", "csv", "tsv", "jsonl", "npz", "fasttext", "reuters",
// "lines").
[[nodiscard]] Format parse_format(const std::string& name);
[[nodiscard]] std::string format_name(Format format);
// The names of all formats, or of those that can be written, for help, completion and messages: "arff
// svmlight …".
enum class FormatUse { read, write };
[[nodiscard]] std::string format_names(FormatUse use, const std::string& separator = " ");

// What the user says of a table's feature columns; those not named are guessed (column_kinds.h).
struct ColumnChoices {
  std::vector<std::string> text, category, number, drop;
};

// What becomes of labels that the expected ones lack.
enum class UnseenLabels { refuse, leave_out, keep };

struct LoadOptions {
  Format format = Format::automatic;
  // Which columns are labels: a Mulan XML file ("x.xml"), "name,name", "first:N" or "last:N"; "" = what the
  // file itself says (the XML beside an ARFF file, MEKA's -C, svmlight's own labels …).
  std::string labels;
  IndexBase index_base = IndexBase::automatic;
  std::string text_column;  // tables: this column is raw text, becomes Dataset::documents and stands alone
  ColumnChoices columns;    // tables
  // tables: for another file rather than for learning. Columns of texts stay categories as they are written,
  // none is left out.
  bool as_written = false;
  std::string weight_column;            // tables: becomes row_weights
  std::string group_column;             // tables: becomes groups
  std::string id_column;                // tables: becomes ids
  std::string weights_file;             // one weight per line, or a .json list
  std::string label_separator = ";|,";  // CSV: a single label column that holds lists of names
  std::string reuters_split;            // "train", "test" or "" (ModApte); Reuters only
  bool unknown_labels = false;          // '?', empty or NaN label cells become `unknown` instead of an error
  // When reading data for an existing model: its names fix the order; labels the file lacks are simply
  // absent. Others of the file are an error naming them, are left out (as where nobody needs labels), or
  // follow the model's in byte order.
  std::optional<std::vector<std::string>> expected_labels;
  UnseenLabels unseen_labels = UnseenLabels::refuse;
  // Tables: the column of label lists of the model's training file, for files in which no column is called
  // like one of its labels.
  std::string training_labels;
  std::optional<std::size_t> expected_features;
  std::optional<InputColumns> expected_columns;  // by name, in any order; others are not read
  bool numbered_columns = false;  // CSV/TSV: different whole numbers in the first line are a heading
  std::vector<std::string> ignored_columns;  // tables: no features; the file may lack them
  bool need_labels = true;                   // predict reads files without any label
};

// Throws DataError / IoError with file, line, value and what to do.
Dataset load_dataset(const std::string& path, const LoadOptions& options);
// The same of content that is at hand.
Dataset load_dataset(const FileContent& content, const LoadOptions& options);

struct SaveOptions {
  Format format = Format::automatic;  // from the file's ending: .arff .svm/.svmlight/.libsvm .txt(xmc) .csv
                                      // .tsv .npz, + .gz/.zst
  IndexBase index_base = IndexBase::one;
  bool overwrite = false;
  FileSet* together = nullptr;  // the files appear when this set is committed
};

// ARFF also writes the label header beside it ("x.arff" → "x.xml").
void save_dataset(const Dataset& data, const std::string& path, const SaveOptions& options);

}  // namespace mmo
