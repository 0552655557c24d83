#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>

#include "cli/predictions.h"
#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/core/json.h"
#include "mmo/core/mapped_file.h"
#include "mmo/core/printable.h"

namespace mmo::cli {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();  // after the last newline
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      const bool doubled = quoted && i + 1 < line.size() && line[i + 1] == '"';
      if (doubled) {
        fields.back() += '"';
        ++i;
      } else {
        quoted = !quoted;
      }
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

class Reader {
 public:
  Reader(const std::string& path, const std::vector<std::string>& label_names)
      : content_(FileContent::open(path)), lines_(split_lines(content_.bytes())), names_(label_names) {
    const std::vector<std::string> numbers = svmlight_names(names_);
    for (std::uint32_t j = 0; j < names_.size(); ++j) {
      index_.emplace(names_[j], j);
      escaped_index_.emplace(escaped_name(names_[j]), j);
      svmlight_index_.emplace(numbers[j], j);
    }
  }

  LabelMatrix read(std::optional<PredictionFormat> format, std::size_t rows) {
    return if_unchanged(content_.bytes(), content_.name(), [&] { return read_rows(format, rows); });
  }

 private:
  LabelMatrix read_rows(std::optional<PredictionFormat> format, std::size_t rows) {
    const PredictionFormat chosen = format.value_or(detect());
    LabelMatrix labels;
    labels.cols = names_.size();
    const std::size_t first = chosen == PredictionFormat::indicator ? read_heading() : 0;
    for (line_ = first; line_ < lines_.size(); ++line_) {
      row_.clear();
      switch (chosen) {
        case PredictionFormat::names:
          read_names();
          break;
        case PredictionFormat::indicator:
          read_indicator();
          break;
        case PredictionFormat::jsonl:
          read_object();
          break;
        case PredictionFormat::svmlight:
          read_indices();
          break;
      }
      std::sort(row_.begin(), row_.end());
      if (std::adjacent_find(row_.begin(), row_.end()) != row_.end()) fail("a label is named twice");
      labels.push_row(row_);
    }
    if (labels.rows != rows) {
      throw DataError(content_.name(), 0,
                      fmt::format("{} predictions for {} rows of data", labels.rows, rows));
    }
    return labels;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw DataError(content_.name(), line_ + 1, message);
  }

  [[nodiscard]] bool known(std::string_view token) const { return find(token) != nullptr; }

  // "name" or "name:score".
  [[nodiscard]] const std::uint32_t* find(std::string_view token) const {
    auto found = escaped_index_.find(std::string(token));
    if (found == escaped_index_.end())
      found = escaped_index_.find(std::string(token.substr(0, token.rfind(':'))));
    return found == escaped_index_.end() ? nullptr : &found->second;
  }

  [[nodiscard]] bool is_heading(std::string_view line) const {
    const std::vector<std::string> fields = csv_fields(line);
    return fields.size() == names_.size() &&
           std::all_of(fields.begin(), fields.end(),
                       [this](const std::string& f) { return index_.contains(name_in_csv(f)); });
  }

  [[nodiscard]] PredictionFormat detect() const {
    if (lines_.empty()) return PredictionFormat::names;
    if (lines_[0].starts_with('{')) return PredictionFormat::jsonl;
    // Scores under the same heading get a message of their own when the cells are read.
    if (is_heading(lines_[0]) && lines_.size() > 1 &&
        lines_[1].find_first_not_of("0123456789.,-+e") == std::string_view::npos) {
      return PredictionFormat::indicator;
    }
    const bool names = std::all_of(lines_.begin(), lines_.end(), [this](std::string_view line) {
      const auto tokens = split(line, '\t');
      return line.empty() ||
             std::all_of(tokens.begin(), tokens.end(), [this](std::string_view t) { return known(t); });
    });
    const bool indices = std::all_of(lines_.begin(), lines_.end(), [](std::string_view line) {
      return line.substr(0, line.find(' ')).find_first_not_of("0123456789,") == std::string_view::npos;
    });
    return !names && indices ? PredictionFormat::svmlight : PredictionFormat::names;
  }

  std::size_t read_heading() {
    line_ = 0;
    if (lines_.empty()) fail("the heading of label names is missing");
    for (const std::string& field : csv_fields(lines_[0])) {
      const auto found = index_.find(name_in_csv(field));
      if (found == index_.end()) fail(fmt::format("the data have no label '{}'", field));
      columns_.push_back(found->second);
    }
    return 1;
  }

  void read_names() {
    if (lines_[line_].empty()) return;
    for (const std::string_view token : split(lines_[line_], '\t')) {
      const std::uint32_t* label = find(token);
      if (label == nullptr) fail(fmt::format("the data have no label '{}'", token));
      row_.push_back(*label);
    }
  }

  void read_indicator() {
    const auto cells = split(lines_[line_], ',');
    if (cells.size() != columns_.size())
      fail(fmt::format("{} fields, the heading has {}", cells.size(), columns_.size()));
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (cells[c] == "1") {
        row_.push_back(columns_[c]);
      } else if (cells[c] != "0") {
        fail(fmt::format("'{}' is neither 0 nor 1 (for scores, see mmo tune)", cells[c]));
      }
    }
  }

  void read_object() {
    const auto object = try_parse_json(lines_[line_]);
    if (!object.is_object() || !object.contains("labels") || !object["labels"].is_array()) {
      fail("expected an object such as {\"labels\": [\"a\", \"b\"]}");
    }
    for (const auto& name : object["labels"]) {
      const auto found = name.is_string() ? index_.find(name.get<std::string>()) : index_.end();
      if (found == index_.end()) fail(fmt::format("the data have no label {}", name.dump()));
      row_.push_back(found->second);
    }
  }

  void read_indices() {
    const std::string_view labels = lines_[line_].substr(0, lines_[line_].find(' '));
    if (labels.empty()) return;
    for (const std::string_view token : split(labels, ',')) {
      const auto found = svmlight_index_.find(std::string(token));
      if (found == svmlight_index_.end()) fail(fmt::format("the data have no label '{}'", token));
      row_.push_back(found->second);
    }
  }

  FileContent content_;
  std::vector<std::string_view> lines_;
  const std::vector<std::string>& names_;
  std::unordered_map<std::string, std::uint32_t> index_;
  std::unordered_map<std::string, std::uint32_t> escaped_index_;  // as `--as names` writes them
  std::unordered_map<std::string, std::uint32_t> svmlight_index_;
  std::vector<std::uint32_t> columns_;  // indicator: label of each column
  std::vector<std::uint32_t> row_;
  std::size_t line_ = 0;
};

}  // namespace

LabelMatrix read_predictions(const std::string& path, std::optional<PredictionFormat> format,
                             const std::vector<std::string>& label_names, std::size_t rows) {
  return Reader(path, label_names).read(format, rows);
}

}  // namespace mmo::cli
