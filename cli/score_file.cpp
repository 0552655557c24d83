#include "cli/score_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/data/detect.h"
#include "mmo/data/npy.h"

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

ScoreFile read_npy(const FileContent& content) {
  const NpyArray array = parse_npy(content.bytes(), content.name(), "the array");
  if (array.is_text() || array.shape.size() != 2) {
    throw DataError(
        content.name(), 0,
        fmt::format("the array has {} dimensions; it must be rows × labels, of numbers", array.shape.size()));
  }
  ScoreFile file{content.name(), DenseMatrix(array.shape[0], array.shape[1]), {}};
  const std::size_t rows = file.values.rows;
  const std::size_t cols = file.values.cols;
  array.visit([&](const auto& get) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < cols; ++j) {
        file.values(i, j) = static_cast<float>(get(array.fortran_order ? j * rows + i : i * cols + j));
      }
    }
  });
  return file;
}

ScoreFile read_matrix(const Common& common, const std::string& path) {
  if (path.ends_with(".npy")) return read_npy(FileContent::open(path));
  DataFlags flags;
  flags.data = path;
  LoadOptions options;
  options.need_labels = false;
  const Dataset data = load(common, flags, options);
  if (data.is_text()) throw DataError(data.source, 0, "this is text; expected a table of numbers");
  ScoreFile file{data.source, dense_copy(data.x), {}};
  for (const FeatureInfo& feature : data.features) file.names.push_back(feature.name);
  return file;
}

bool all_zero_or_one(const DenseMatrix& values) {
  return std::all_of(values.values.begin(), values.values.end(), [](float v) { return v == 0 || v == 1; });
}

bool is_table(const std::string& path) {
  if (path == "-") return false;
  const Format found = detect_format(FileContent::open(path), false);
  return found == Format::csv || found == Format::tsv;
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

LabelMatrix labels_of_matrix(const ScoreFile& file, const ScoreFile& scores) {
  const auto columns = match_columns(file.names, file.values.cols, file.source, scores);
  LabelMatrix labels;
  labels.cols = columns.size();
  std::vector<std::uint32_t> row;
  for (std::size_t i = 0; i < file.values.rows; ++i) {
    row.clear();
    for (std::uint32_t j = 0; j < columns.size(); ++j) {
      if (file.values(i, columns[j]) == 1) row.push_back(j);
    }
    labels.push_row(row);
  }
  return labels;
}

LabelMatrix labels_of_dataset(const Dataset& data, const ScoreFile& scores) {
  const auto columns = match_columns(data.label_names, data.labels(), data.source, scores);
  return take_labels(data, std::vector<std::uint32_t>(columns.begin(), columns.end())).y;
}

}  // namespace

ScoreFile read_scores(const Common& common, const std::string& path) {
  ScoreFile file = read_matrix(common, path);
  for (std::size_t i = 0; i < file.values.rows; ++i) {
    for (std::size_t j = 0; j < file.values.cols; ++j) {
      if (std::isfinite(file.values(i, j))) continue;
      throw DataError(file.source, 0,
                      fmt::format("the score in row {}, column {} is not a finite number", i + 1, j + 1));
    }
  }
  return file;
}

LabelMatrix read_true_labels(const Common& common, const DataFlags& flags, const ScoreFile& scores) {
  LabelMatrix labels;
  bool done = false;
  if (flags.labels.empty() && (flags.data.ends_with(".npy") || is_table(flags.data))) {
    const ScoreFile file = read_matrix(common, flags.data);
    done = all_zero_or_one(file.values);
    if (done) labels = labels_of_matrix(file, scores);
  }
  if (!done) labels = labels_of_dataset(load(common, flags), scores);
  if (labels.rows != scores.values.rows) {
    throw DataError(flags.data, 0,
                    fmt::format("{} rows, but {} has {}", labels.rows, scores.source, scores.values.rows));
  }
  return labels;
}

}  // namespace mmo::cli
