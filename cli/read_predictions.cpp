#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
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

constexpr std::string_view before_id = " # ";  // svmlight

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
  if (lines.back().empty()) lines.pop_back();  // after the final newline
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

  LabelMatrix read(std::optional<PredictionFormat> format, const ExpectedRows& expected) {
    with_ids_ = !expected.ids.empty();
    return if_unchanged(content_.bytes(), content_.name(), [&] { return read_rows(format, expected); });
  }

 private:
  LabelMatrix read_rows(std::optional<PredictionFormat> format, const ExpectedRows& expected) {
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
      if (with_ids_) check_id(expected, labels.rows);
      labels.push_row(row_);
    }
    if (labels.rows != expected.rows) {
      throw DataError(content_.name(), 0,
                      fmt::format("{} predictions for {} rows of data", labels.rows, expected.rows));
    }
    return labels;
  }

  void check_id(const ExpectedRows& expected, std::size_t row) const {
    if (row >= expected.rows || id_ == escaped_name(expected.ids[row])) return;
    fail(fmt::format("this row is '{}', but row {} of the data is '{}'; give both in the same order",
                     printable(id_), row + 1, printable(expected.ids[row])));
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw DataError(content_.name(), line_ + 1, message);
  }

  // What follows the first field, the id.
  [[nodiscard]] std::string_view without_id(std::string_view line, char separator) const {
    if (!with_ids_) return line;
    const std::size_t end = line.find(separator);
    return end == std::string_view::npos ? std::string_view() : line.substr(end + 1);
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
    std::vector<std::string> fields = csv_fields(line);
    if (with_ids_) fields.erase(fields.begin());
    return fields.size() == names_.size() &&
           std::all_of(fields.begin(), fields.end(),
                       [this](const std::string& f) { return index_.contains(name_in_csv(f)); });
  }

  [[nodiscard]] PredictionFormat detect() const {
    if (lines_.empty()) return PredictionFormat::names;
    if (lines_[0].starts_with('{')) return PredictionFormat::jsonl;
    // Scores under such a heading get their own message when the cells are read.
    if (is_heading(lines_[0]) && lines_.size() > 1 &&
        without_id(lines_[1], ',').find_first_not_of("0123456789.,-+e") == std::string_view::npos) {
      return PredictionFormat::indicator;
    }
    const bool names = std::all_of(lines_.begin(), lines_.end(), [this](std::string_view line) {
      const std::string_view rest = without_id(line, '\t');
      const auto tokens = split(rest, '\t');
      return rest.empty() ||
             std::all_of(tokens.begin(), tokens.end(), [this](std::string_view t) { return known(t); });
    });
    const bool indices = std::all_of(lines_.begin(), lines_.end(), [this](std::string_view line) {
      return (!with_ids_ || line.find(before_id) != std::string_view::npos) &&
             line.substr(0, line.find(' ')).find_first_not_of("0123456789,") == std::string_view::npos;
    });
    return indices && (with_ids_ || !names) ? PredictionFormat::svmlight : PredictionFormat::names;
  }

  std::size_t read_heading() {
    line_ = 0;
    if (lines_.empty()) fail("the heading of label names is missing");
    std::vector<std::string> fields = csv_fields(lines_[0]);
    if (with_ids_) fields.erase(fields.begin());
    for (const std::string& field : fields) {
      const auto found = index_.find(name_in_csv(field));
      if (found == index_.end()) fail(fmt::format("the data have no label '{}'", field));
      columns_.push_back(found->second);
    }
    return 1;
  }

  void read_names() {
    if (with_ids_) id_ = split(lines_[line_], '\t').front();
    const std::string_view rest = without_id(lines_[line_], '\t');
    if (rest.empty()) return;
    for (const std::string_view token : split(rest, '\t')) {
      const std::uint32_t* label = find(token);
      if (label == nullptr) fail(fmt::format("the data have no label '{}'", token));
      row_.push_back(*label);
    }
  }

  void read_indicator() {
    const std::vector<std::string> fields = csv_fields(lines_[line_]);
    if (with_ids_) id_ = escaped_name(fields.front());
    const std::span<const std::string> cells = std::span(fields).subspan(with_ids_ ? 1 : 0);
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
    if (with_ids_) {
      if (!object.contains("id") || !object["id"].is_string())
        fail("the field \"id\" is missing, or is not a string");
      id_ = escaped_name(object["id"].get<std::string>());
    }
    for (const auto& name : object["labels"]) {
      const auto found = name.is_string() ? index_.find(name.get<std::string>()) : index_.end();
      if (found == index_.end()) fail(fmt::format("the data have no label {}", name.dump()));
      row_.push_back(found->second);
    }
  }

  void read_indices() {
    const std::string_view line = lines_[line_];
    if (with_ids_) {
      const std::size_t at = line.find(before_id);
      if (at == std::string_view::npos) fail("no id; it belongs after ' # '");
      id_ = line.substr(at + before_id.size());
    }
    const std::string_view labels = line.substr(0, line.find(' '));
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
  bool with_ids_ = false;
  std::string id_;  // the row's, as escaped_name() writes it
};

}  // namespace

LabelMatrix read_predictions(const std::string& path, std::optional<PredictionFormat> format,
                             const std::vector<std::string>& label_names, const ExpectedRows& expected) {
  return Reader(path, label_names).read(format, expected);
}

}  // namespace mmo::cli
