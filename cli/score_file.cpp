#include "cli/score_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <unordered_map>

#include "cli/score_lists.h"
#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/data/detect.h"
#include "mmo/data/npy.h"
#include "mmo/data/weights_file.h"

namespace mmo::cli {
namespace {

DenseMatrix dense_copy(const Features& x) {
  if (const auto* dense = std::get_if<DenseMatrix>(&x)) return *dense;
  const auto& sparse = std::get<CsrMatrix>(x);
  DenseMatrix values(sparse.rows, sparse.cols);
  for (std::size_t i = 0; i < sparse.rows; ++i) {
    const auto indices = sparse.row_indices(i);
    for (std::size_t k = 0; k < indices.size(); ++k) values(i, indices[k]) = sparse.row_values(i)[k];
  }
  return values;
}

// rows × labels, or as np.save writes the list of arrays that scikit-learn's multi-output classifiers
// predict: labels × rows × 2, of which the second is the probability that the label is there.
ScoreFile read_npy(const FileContent& content) {
  const NpyArray array = parse_npy(content.bytes(), content.name(), "the array");
  const bool pairs = array.shape.size() == 3 && array.shape[2] == 2;
  if (array.is_text() || (array.shape.size() != 2 && !pairs)) {
    throw DataError(
        content.name(), 0,
        fmt::format("the array has {} dimensions; it must be rows × labels, of numbers", array.shape.size()));
  }
  const std::size_t rows = array.shape[pairs ? 1 : 0];
  const std::size_t cols = array.shape[pairs ? 0 : 1];
  const auto place = [&](std::size_t i, std::size_t j) {
    if (pairs) return array.fortran_order ? j + cols * (i + rows) : (j * rows + i) * 2 + 1;
    return array.fortran_order ? j * rows + i : i * cols + j;
  };
  ScoreFile file{content.name(), DenseMatrix(rows, cols), {}, {}, {}};
  array.visit([&](const auto& get) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < cols; ++j) file.values(i, j) = static_cast<float>(get(place(i, j)));
    }
  });
  return file;
}

// `options` say which column or file holds row weights; every other column is part of the matrix.
ScoreFile read_matrix(const Common& common, const std::string& path, LoadOptions options) {
  if (path.ends_with(".npy")) {
    if (!options.weight_column.empty())
      throw UsageError(fmt::format("--weights {}: no such file, and {} has no named columns",
                                   options.weight_column, path));
    ScoreFile file = read_npy(FileContent::open(path));
    if (!options.weights_file.empty())
      file.row_weights = read_weights_file(options.weights_file, file.values.rows);
    return file;
  }
  DataFlags flags;
  flags.data = path;
  options.need_labels = false;
  options.numbered_columns = true;
  const Dataset data = load(common, flags, options);
  if (data.is_text()) throw DataError(data.source, 0, "this is text; expected a table of numbers");
  ScoreFile file{data.source, dense_copy(data.x), {}, data.row_weights, {}};
  for (const FeatureInfo& feature : data.features) file.names.push_back(feature.name);
  return file;
}

bool are_labels(const DenseMatrix& values, bool unknown_allowed) {
  return std::all_of(values.values.begin(), values.values.end(),
                     [&](float v) { return v == 0 || v == 1 || (unknown_allowed && std::isnan(v)); });
}

bool is_table(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  const Format found = detect_file_format(path, false);
  return found == Format::csv || found == Format::tsv;
}

// "a.out,b.out,c.out", unless a file is called so.
std::vector<std::string> several_files(const std::string& path) {
  std::vector<std::string> paths;
  if (path.find(',') == std::string::npos || std::filesystem::exists(path)) return paths;
  std::istringstream rest(path);
  for (std::string name; std::getline(rest, name, ',');) paths.push_back(name);
  return paths;
}

ScoreFile from_lists(std::string source, ScoreLists lists, bool complete) {
  ScoreFile file{std::move(source), std::move(lists.values), std::move(lists.names), {}, {}};
  if (!complete) file.unlisted = lists.missing;
  return file;
}

ScoreFile read_score_file(const Common& common, const std::string& path) {
  const std::vector<std::string> paths = several_files(path);
  if (!paths.empty()) return from_lists(path, read_liblinear_files(paths), true);
  const bool binary = path.ends_with(".npy") || path.ends_with(".npz");
  if (!binary && path != "-") {
    const FileContent content = FileContent::open(path);
    if (auto lists = read_score_lists(content)) return from_lists(content.name(), std::move(*lists), false);
  }
  return read_matrix(common, path, {});
}

// The scores in these columns; a list need not name them all.
void order_columns(ScoreFile& file, const std::vector<std::string>& labels) {
  const auto other = [&](const std::string& why) {
    return DataError(file.source, 0, "its columns are not those of the labels that the rule is for: " + why);
  };
  if (!file.unlisted) {
    if (file.values.cols != labels.size())
      throw other(fmt::format("{} instead of {}", file.values.cols, labels.size()));
    const auto differs = std::ranges::mismatch(file.names, labels).in1;
    if (differs != file.names.end()) throw other(fmt::format("it has '{}'", *differs));
    return;
  }
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t j = 0; j < labels.size(); ++j) place.emplace(labels[j], j);
  DenseMatrix values(file.values.rows, labels.size(), *file.unlisted);
  for (std::size_t k = 0; k < file.names.size(); ++k) {
    const auto at = place.find(file.names[k]);
    if (at == place.end()) throw other(fmt::format("it has '{}'", file.names[k]));
    for (std::size_t i = 0; i < values.rows; ++i) values(i, at->second) = file.values(i, k);
  }
  file.values = std::move(values);
  file.names = labels;
}

bool is_number(const std::string& name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

// Labels without names are called by their numbers, as programs that print lists call them.
void name_by_number(Dataset& data, const ScoreFile& scores) {
  const bool numbers =
      !scores.names.empty() && std::all_of(scores.names.begin(), scores.names.end(), is_number);
  if (!data.label_names.empty() || !(scores.unlisted || numbers)) return;
  for (std::size_t j = 0; j < data.labels(); ++j) data.label_names.push_back(std::to_string(j));
}

// A column for every label that rows have but no list names.
void add_unlisted_labels(ScoreFile& scores, const Dataset& data) {
  std::vector<std::string> labels = scores.names;
  for (const std::string& name : data.label_names) {
    if (std::find(scores.names.begin(), scores.names.end(), name) == scores.names.end())
      labels.push_back(name);
  }
  order_columns(scores, labels);
}

// For each column of the scores, the column of `found` that holds its labels: by name where both have names.
std::vector<std::size_t> match_columns(const std::vector<std::string>& found, std::size_t count,
                                       const std::string& source, const ScoreFile& scores) {
  const std::size_t labels = scores.values.cols;
  std::vector<std::size_t> columns(labels);
  if (found.empty() || scores.names.empty()) {
    if (count != labels)
      throw DataError(source, 0,
                      fmt::format("{} labels, but {} has {} columns", count, scores.source, labels));
    for (std::size_t j = 0; j < labels; ++j) columns[j] = j;
    return columns;
  }
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t j = 0; j < found.size(); ++j) place.emplace(found[j], j);
  for (std::size_t j = 0; j < labels; ++j) {
    const auto at = place.find(scores.names[j]);
    if (at == place.end())
      throw DataError(source, 0,
                      fmt::format("no label '{}', which {} has scores for", scores.names[j], scores.source));
    columns[j] = at->second;
  }
  return columns;
}

Dataset labels_of_matrix(ScoreFile file) {
  Dataset data;
  data.source = file.source;
  data.label_names = std::move(file.names);
  data.row_weights = std::move(file.row_weights);
  data.y.cols = data.unknown.cols = file.values.cols;
  std::vector<std::uint32_t> present;
  std::vector<std::uint32_t> unknown;
  for (std::size_t i = 0; i < file.values.rows; ++i) {
    present.clear();
    unknown.clear();
    for (std::uint32_t j = 0; j < file.values.cols; ++j) {
      const float value = file.values(i, j);
      if (value == 1) present.push_back(j);
      if (std::isnan(value)) unknown.push_back(j);
    }
    data.y.push_row(present);
    data.unknown.push_row(unknown);
  }
  if (data.unknown.indices.empty()) data.unknown = {};
  return data;
}

// Formats whose rows carry their labels say nothing of a label that no row has.
bool lists_labels_by_row(const Dataset& data) { return data.index_base.has_value() || data.is_text(); }

// An empty column for every label that has scores but no row.
void add_absent_labels(Dataset& data, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::find(data.label_names.begin(), data.label_names.end(), name) != data.label_names.end()) continue;
    data.label_names.push_back(name);
    ++data.y.cols;
    if (data.unknown.rows > 0) ++data.unknown.cols;
  }
}

}  // namespace

ScoreFile read_scores(const Common& common, const std::string& path, const std::vector<std::string>* labels) {
  ScoreFile file = read_score_file(common, path);
  if (labels != nullptr) order_columns(file, *labels);
  for (std::size_t i = 0; i < file.values.rows; ++i) {
    for (std::size_t j = 0; j < file.values.cols; ++j) {
      if (std::isfinite(file.values(i, j))) continue;
      throw DataError(file.source, 0,
                      fmt::format("the score in row {}, column {} is not a finite number", i + 1, j + 1));
    }
  }
  return file;
}

Truth TrueLabels::truth() const {
  Truth truth;
  truth.labels = &y;
  truth.unknown = unknown.rows > 0 ? &unknown : nullptr;
  truth.row_weights = row_weights;
  return truth;
}

TrueLabels take_rows(const TrueLabels& labels, std::span<const std::uint32_t> rows) {
  TrueLabels taken{mmo::take_rows(labels.y, rows), {}, {}};
  if (labels.unknown.rows > 0) taken.unknown = mmo::take_rows(labels.unknown, rows);
  if (!labels.row_weights.empty()) {
    for (const std::uint32_t i : rows) taken.row_weights.push_back(labels.row_weights[i]);
  }
  return taken;
}

Dataset load_labels(const Common& common, const DataFlags& flags) {
  if (flags.labels.empty() && (flags.data.ends_with(".npy") || is_table(flags.data))) {
    ScoreFile file = read_matrix(common, flags.data, load_options(flags));
    if (are_labels(file.values, flags.unknown_labels)) return labels_of_matrix(std::move(file));
    if (flags.data.ends_with(".npy")) {
      throw DataError(file.source, 0,
                      "labels are 0 and 1 (or nan, with --unknown-labels), but the array holds other values");
    }
  }
  return load(common, flags);
}

TrueLabels read_true_labels(const Common& common, const DataFlags& flags, ScoreFile& scores) {
  Dataset data = load_labels(common, flags);
  if (data.rows() != scores.values.rows) {
    throw DataError(flags.data, 0,
                    fmt::format("{} rows, but {} has {}", data.rows(), scores.source, scores.values.rows));
  }
  name_by_number(data, scores);
  if (scores.unlisted) add_unlisted_labels(scores, data);
  if (lists_labels_by_row(data)) add_absent_labels(data, scores.names);
  const auto columns = match_columns(data.label_names, data.labels(), data.source, scores);
  const std::vector<std::uint32_t> chosen(columns.begin(), columns.end());
  TrueLabels labels{take_columns(data.y, chosen), {}, std::move(data.row_weights)};
  if (data.unknown.rows > 0) labels.unknown = take_columns(data.unknown, chosen);
  return labels;
}

LabelMatrix read_npy_labels(const std::string& path, std::size_t labels, std::size_t rows) {
  const ScoreFile file = read_npy(FileContent::open(path));
  if (!are_labels(file.values, false))
    throw DataError(file.source, 0,
                    "predictions are 0 and 1, but the array holds other values (for scores, see mmo tune)");
  if (file.values.rows != rows)
    throw DataError(file.source, 0,
                    fmt::format("{} predictions for {} rows of data", file.values.rows, rows));
  if (file.values.cols != labels)
    throw DataError(file.source, 0,
                    fmt::format("{} columns for {} labels of the data", file.values.cols, labels));
  return labels_of_matrix(file).y;
}

}  // namespace mmo::cli
