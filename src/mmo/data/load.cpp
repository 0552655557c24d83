#include "mmo/data/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <span>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/mapped_file.h"
#include "mmo/core/parallel.h"
#include "mmo/core/simd.h"
#include "mmo/data/detect.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/named_labels.h"
#include "mmo/data/parts.h"
#include "mmo/data/readers.h"
#include "mmo/data/weights_file.h"

namespace mmo {
namespace {

struct FormatRow {
  const char* name;
  Format format;
  bool written;  // or only read
};
constexpr std::array<FormatRow, 11> formats{{
    {"auto", Format::automatic, true},
    {"arff", Format::arff, true},
    {"svmlight", Format::svmlight, true},
    {"xmc", Format::xmc, true},
    {"csv", Format::csv, true},
    {"tsv", Format::tsv, true},
    {"jsonl", Format::jsonl, false},
    {"npz", Format::npz, true},
    {"fasttext", Format::fasttext, true},
    {"reuters", Format::reuters, false},
    {"lines", Format::lines, false},
}};

Dataset read_content(const FileContent& content, Format format, const LoadOptions& options) {
  switch (format) {
    case Format::arff:
      return read_arff(content, options);
    case Format::svmlight:
      return read_svmlight(content, options);
    case Format::xmc:
      return read_xmc(content, options);
    case Format::csv:
      return read_delimited(content, options, csv_separator(content));
    case Format::tsv:
      return read_delimited(content, options, '\t');
    case Format::jsonl:
      return read_jsonl(content, options);
    case Format::npz:
      return read_npz(content, options);
    case Format::fasttext:
      return read_fasttext(content, options);
    case Format::lines:
      return read_lines(content, options);
    default:
      throw DataError(content.name(), 0, "Reuters SGML found; give it as a file or folder, not as a stream");
  }
}

bool is_table(Format format) {
  return format == Format::arff || format == Format::csv || format == Format::tsv || format == Format::jsonl;
}

// Formats whose rows carry their own labels have no columns to choose from.
void refuse_columns(const std::string& name, Format format, const LoadOptions& options) {
  if (is_table(format)) return;
  if (!options.id_column.empty()) {
    throw UsageError(fmt::format("{}: --id {} names a column of a table (ARFF, CSV, TSV, JSONL); {} has none",
                                 name, options.id_column, format_name(format)));
  }
  if (options.labels.empty() || options.expected_labels) return;
  throw UsageError(fmt::format(
      "{}: --labels chooses columns of ARFF, CSV, TSV and JSONL files; {} names its labels itself", name,
      format_name(format)));
}

Dataset read_any(const FileContent& content, const LoadOptions& options) {
  const Format found =
      options.format != Format::automatic ? options.format : detect_format(content, options.need_labels);
  refuse_columns(content.name(), found, options);
  return if_unchanged(content.bytes(), content.name(), [&] { return read_content(content, found, options); });
}

bool holds_parquet(const std::string& folder) {
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().extension() == ".parquet") return true;
  }
  return false;
}

Dataset read_path(const std::string& path, const LoadOptions& options) {
  std::error_code unreadable;
  const bool folder = std::filesystem::is_directory(path, unreadable);
  if (folder && holds_parquet(path)) refuse_parquet(path);
  const std::vector<std::string> parts =
      options.format == Format::reuters ? std::vector<std::string>{} : part_files(path);
  if (!parts.empty()) return read_parts(path, parts, options, read_path);
  if (options.format == Format::reuters || (folder && options.format == Format::automatic)) {
    refuse_columns(path, Format::reuters, options);
    return read_reuters(path, options);
  }
  const FileContent content = FileContent::open(path);
  const bool reuters = options.format == Format::automatic && path != "-" &&
                       detect_format(content, options.need_labels) == Format::reuters;
  if (!reuters) return read_any(content, options);
  refuse_columns(path, Format::reuters, options);
  return read_reuters(path, options);
}

// Brings the labels into the model's order.
void fit_labels(Dataset& data, const LoadOptions& options) {
  if (data.label_names == *options.expected_labels && data.labels() == options.expected_labels->size())
    return;
  std::vector<std::string> names(data.labels());
  for (std::size_t j = 0; j < names.size(); ++j) names[j] = data.label_name(j);
  const std::vector<std::string_view> found(names.begin(), names.end());
  std::vector<std::string> labels = labels_for_model(found, options);
  const std::vector<std::uint32_t> column = label_columns(found, labels);
  for (std::size_t j = 0; j < names.size() && refuses_unseen(options); ++j) {
    if (column[j] == no_label) throw DataError(data.source, 0, unknown_label_message(names[j]));
  }
  data.y = relabel(data.y, column, labels.size());
  if (data.unknown.rows > 0) data.unknown = relabel(data.unknown, column, labels.size());
  data.label_names = std::move(labels);
}

// A file of which the model knows no label at all is of another set of labels: counting all of it as missed
// would hide that.
void refuse_other_labels(const Dataset& data, std::size_t known) {
  const auto& found = data.y.indices;
  if (data.labels() == known || found.empty()) return;
  if (std::any_of(found.begin(), found.end(), [&](std::uint32_t j) { return j < known; })) return;
  throw DataError(data.source, 0, unknown_label_message(data.label_name(found[0])));
}

// Formats that do not say how many features they have take the model's number themselves.
void check_feature_count(const Dataset& data, std::size_t expected) {
  const std::size_t found = feature_cols(data.x);
  if (found == expected) return;
  throw DataError(data.source, 0,
                  fmt::format("{} feature columns, but the model was trained on {}; give it the same columns",
                              found, expected));
}

MMO_SIMD bool any_infinite(std::span<const float> values) {
  int found = 0;
  for (const float v : values) found |= std::abs(v) > std::numeric_limits<float>::max() ? 1 : 0;
  return found != 0;
}

// Where an infinite value stands, by row and feature; readers that know the line refuse it themselves.
void refuse_infinite(const Dataset& data) {
  const auto values = std::visit([](const auto& x) -> std::span<const float> { return x.values; }, data.x);
  constexpr std::size_t block = std::size_t{1} << 20;
  std::vector<char> bad(values.size() / block + 1, 0);
  parallel_for(bad.size(), [&](std::size_t k) {
    const std::size_t first = k * block;
    bad[k] = any_infinite(values.subspan(first, std::min(block, values.size() - first))) ? 1 : 0;
  });
  if (std::find(bad.begin(), bad.end(), 1) == bad.end()) return;
  const auto at = static_cast<std::size_t>(
      std::find_if(values.begin(), values.end(), [](float v) { return std::isinf(v); }) - values.begin());
  std::size_t row = 0;
  std::size_t feature = 0;
  if (const auto* const sparse = std::get_if<CsrMatrix>(&data.x)) {
    const auto next = std::upper_bound(sparse->offsets.begin(), sparse->offsets.end(), at);
    row = static_cast<std::size_t>(next - sparse->offsets.begin()) - 1;
    feature = sparse->indices[at];
  } else {
    row = at / feature_cols(data.x);
    feature = at % feature_cols(data.x);
  }
  throw DataError(data.source, 0,
                  fmt::format("row {} has an infinite value in feature {}; replace it by a finite one",
                              row + 1, shown(data.feature_name(feature))));
}

std::string no_columns(const Dataset& data, const LoadOptions& options) {
  if (options.expected_columns && options.expected_columns->named()) {
    const InputColumns& model = *options.expected_columns;
    return fmt::format("none of the {} feature columns that the model reads is here, such as {}",
                       model.features.size() + model.texts.size(),
                       shown(model.texts.empty() ? model.features.front().name : model.texts.front()));
  }
  if (data.left_out.empty()) return "no feature columns: every column is a label or has another part";
  const LeftOutColumn& first = data.left_out.front();
  return fmt::format("no feature column is left; {} is left out: {} (--category {} keeps it)",
                     shown(first.name), first.why, first.name);
}

void refuse_two_weights(const LoadOptions& options) {
  if (!options.weights_file.empty() && !options.weight_column.empty())
    throw UsageError("give row weights as a column or a file, not as both");
}

// What holds for every format: rows, features and labels are there, in the order that is expected, and
// finite.
Dataset finished(Dataset data, const LoadOptions& options) {
  if (data.rows() == 0) throw DataError(data.source, 0, "no rows of data");
  if (!data.is_text() && data.columns() == 0) {
    throw DataError(data.source, 0, no_columns(data, options));
  }
  if (options.need_labels && data.labels() == 0 && !options.expected_labels) {
    throw DataError(data.source, 0, "no row has a label; name the label columns by --labels");
  }
  if (options.expected_labels) {
    fit_labels(data, options);
    refuse_other_labels(data, options.expected_labels->size());
  }
  if (options.expected_columns) align_columns(data, *options.expected_columns);
  if (options.expected_features && !data.is_text()) check_feature_count(data, *options.expected_features);
  refuse_infinite(data);
  if (!options.weights_file.empty()) {
    data.row_weights = read_weights_file(options.weights_file, data.rows());
  }
  if (!data.row_weights.empty() &&
      std::none_of(data.row_weights.begin(), data.row_weights.end(), [](float w) { return w > 0; })) {
    throw DataError(data.source, 0, "all row weights are 0");
  }
  return data;
}

}  // namespace

Format parse_format(const std::string& name) {
  for (const FormatRow& row : formats) {
    if (name == row.name) return row.format;
  }
  if (name == "binary") return Format::npz;  // as it is written here: arrays that need no parsing
  throw UsageError(
      fmt::format("unknown format {}; known are auto, {}", shown(name), format_names(FormatUse::read, ", ")));
}

std::string format_name(Format format) {
  return std::find_if(formats.begin(), formats.end(),
                      [&](const FormatRow& row) { return row.format == format; })
      ->name;
}

std::string format_names(FormatUse use, const std::string& separator) {
  std::string names;
  for (const FormatRow& row : formats) {
    if (row.format == Format::automatic || (use == FormatUse::write && !row.written)) continue;
    names += (names.empty() ? "" : separator) + row.name;
  }
  return names;
}

Dataset load_dataset(const std::string& path, const LoadOptions& options) {
  refuse_two_weights(options);
  return finished(read_path(path, options), options);
}

Dataset load_dataset(const FileContent& content, const LoadOptions& options) {
  refuse_two_weights(options);
  return finished(read_any(content, options), options);
}

void save_dataset(const Dataset& data, const std::string& path, const SaveOptions& options) {
  const Format format = options.format == Format::automatic ? format_of_name(path) : options.format;
  switch (format) {
    case Format::arff:
      return write_arff(data, path, options);
    case Format::svmlight:
      return write_svmlight(data, path, options);
    case Format::xmc:
      return write_xmc(data, path, options);
    case Format::csv:
      return write_delimited(data, path, options, ',');
    case Format::tsv:
      return write_delimited(data, path, options, '\t');
    case Format::npz:
      return write_npz(data, path, options);
    case Format::fasttext:
      return write_fasttext(data, path, options);
    case Format::automatic:
      throw UsageError(
          fmt::format("{}: the name does not tell the format; end it in .arff, .svm, .txt (XMC), "
                      ".csv, .tsv, .npz or .fasttext",
                      path == "-" ? "standard output" : path));
    default:
      throw UsageError(fmt::format("can't write the format {}; choose one of {}", format_name(format),
                                   format_names(FormatUse::write, ", ")));
  }
}

}  // namespace mmo
