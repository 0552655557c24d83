#include "cli/data_flags.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <limits>
#include <sstream>

#include "cli/terminal.h"
#include "mmo/core/error.h"
#include "mmo/data/detect.h"

namespace mmo::cli {
namespace {

// "title,description" → its names.
std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream rest(list);
  for (std::string name; std::getline(rest, name, ',');) names.push_back(name);
  return names;
}

// For a model of raw text, a file to be labelled is one document per line, whatever its commas may suggest,
// unless it is marked up as fastText or Reuters or has a named text column.
Format text_format(const std::string& path, const LoadOptions& options) {
  if (options.need_labels || std::filesystem::is_directory(path)) return Format::automatic;
  // Don't peek at what can be read only once.
  if (path != "-" && !std::filesystem::exists(path)) return Format::automatic;
  if (path == "-" || !std::filesystem::is_regular_file(path))
    return options.text_column.empty() ? Format::lines : Format::automatic;
  const Format found = detect_file_format(path, false);
  const bool marked = found == Format::fasttext || found == Format::reuters;
  const bool table =
      found == Format::csv || found == Format::tsv || found == Format::arff || found == Format::jsonl;
  return marked || (table && !options.text_column.empty()) ? found : Format::lines;
}

}  // namespace

void require_shared_file(const DataFlags& flags, const Communicator& processes) {
  if (processes.size() > 1 && flags.data == "-")
    throw UsageError("standard input reaches one process only: name a file that all of them can read");
}

void add_data(CLI::App& command, DataFlags& flags, ReadingHelp help, bool required) {
  command.add_option("DATA,--data", flags.data, "data file, or - for standard input; .gz and .zst too")
      ->required(required);
  add_data_flags(command, flags, help);
}

void add_data_flags(CLI::App& command, DataFlags& flags, ReadingHelp help) {
  command
      .add_option("--labels", flags.labels,
                  "which columns are labels: FILE.xml, name,name, first:N or last:N")
      ->type_name("SPEC");
  command.add_option("--text-column", flags.text_column, "this column is raw text, the only one used")
      ->type_name("NAME");
  const std::string before = command.option_defaults()->get_group();
  if (help == ReadingHelp::short_list) command.option_defaults()->group(reading_group);
  const auto columns = [&](const char* flag, std::string& names, const char* meaning) {
    command.add_option(flag, names, meaning)->type_name("NAMES");
  };
  columns("--text", flags.text, "columns name,name that are prose; kinds are guessed otherwise");
  columns("--category", flags.category, "columns that hold categories");
  columns("--number", flags.number, "columns that hold numbers");
  columns("--drop", flags.drop, "columns to leave out");
  command.add_option("--format", flags.format, format_names(FormatUse::read) + "; else by content")
      ->type_name("F");
  command.add_option("--index-base", flags.index_base, "first feature index of svmlight: 0, 1 or auto")
      ->type_name("B");
  command.add_option("--weights", flags.weights, "row weights: a column, or a file with one per line")
      ->type_name("W");
  command.add_option("--part", flags.part, "Reuters-21578 (ModApte): train, test, train90 or test90")
      ->type_name("P");
  command.add_flag("--unknown-labels", flags.unknown_labels,
                   "'?', empty and NaN labels are unknown, not errors");
  command.option_defaults()->group(before);
}

void add_id(CLI::App& command, DataFlags& flags, const std::string& meaning) {
  command.add_option("--id", flags.id, meaning)->type_name("COLUMN");
}

IndexBase parse_index_base(const std::string& text) {
  if (text == "auto") return IndexBase::automatic;
  if (text == "0") return IndexBase::zero;
  if (text == "1") return IndexBase::one;
  throw UsageError(fmt::format("--index-base '{}' is unknown; use 0, 1 or auto", text));
}

void add_zero_division(CLI::App& command, std::string& text) {
  command.add_option("--zero-division", text, "value of 0/0: 0 (the default), 1 or nan = left out")
      ->type_name("V");
}

double parse_zero_division(const std::string& text) {
  if (text == "0") return 0;
  if (text == "1") return 1;
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw UsageError(fmt::format("--zero-division '{}' is unknown; use 0, 1 or nan", text));
}

LoadOptions load_options(const DataFlags& flags) {
  LoadOptions options;
  if (flags.format != "auto") options.format = parse_format(flags.format);
  options.labels = flags.labels;
  options.index_base = parse_index_base(flags.index_base);
  options.text_column = flags.text_column;
  options.columns = {names_in(flags.text), names_in(flags.category), names_in(flags.number),
                     names_in(flags.drop)};
  if (std::filesystem::is_regular_file(flags.weights)) {
    options.weights_file = flags.weights;
  } else {
    options.weight_column = flags.weights;
  }
  options.group_column = flags.groups;
  options.id_column = flags.id;
  options.unknown_labels = flags.unknown_labels;
  options.reuters_split = flags.part;
  return options;
}

Dataset load(const Common& common, const DataFlags& flags, const LoadOptions& options) {
  Dataset data = load_dataset(flags.data, options);
  warn_all(common, data.notes);
  return data;
}

Dataset load(const Common& common, const DataFlags& flags) {
  return load(common, flags, load_options(flags));
}

Dataset load_beside(const Common& common, const DataFlags& flags, const std::string& path,
                    const Dataset& data, UnseenLabels unseen) {
  DataFlags beside = flags;
  beside.data = path;
  LoadOptions options = load_options(beside);
  options.weights_file.clear();  // one weight per row of the first file; only a column works for both
  options.expected_labels = label_names(data);
  options.expected_columns = input_columns(data);
  options.unseen_labels = unseen;
  if (!data.is_text()) options.expected_features = feature_cols(data.x);
  return load(common, beside, options);
}

std::vector<std::string> label_names(const Dataset& data) {
  std::vector<std::string> names;
  names.reserve(data.labels());
  for (std::size_t j = 0; j < data.labels(); ++j) names.push_back(data.label_name(j));
  return names;
}

std::vector<std::string> label_names(const Model& model) {
  std::vector<std::string> names;
  names.reserve(model.labels());
  for (std::size_t j = 0; j < model.labels(); ++j) names.push_back(model.label_name(j));
  return names;
}

LoadOptions load_options(const DataFlags& flags, const Model& model, DataUse use) {
  LoadOptions options = load_options(flags);
  options.expected_labels = label_names(model);
  options.need_labels = use != DataUse::predicting;
  options.unseen_labels = use == DataUse::labelled ? UnseenLabels::keep : UnseenLabels::leave_out;
  const Reading& reading = model.reading;
  options.training_labels = reading.label_columns;
  if (options.index_base == IndexBase::automatic && !reading.index_base.empty())
    options.index_base = parse_index_base(reading.index_base);
  for (const std::string& column : {reading.weight_column, reading.group_column}) {
    if (!column.empty()) options.ignored_columns.push_back(column);
  }
  if (model.text) {
    if (options.text_column.empty()) options.text_column = reading.text_column;
    if (options.format == Format::automatic) options.format = text_format(flags.data, options);
  } else {
    options.expected_columns = model.encoder.inputs();
    options.expected_features = model.encoder.raw_columns;
  }
  return options;
}

Dataset load_for_model(const Common& common, const DataFlags& flags, const Model& model, DataUse use) {
  return load(common, flags, load_options(flags, model, use));
}

}  // namespace mmo::cli
