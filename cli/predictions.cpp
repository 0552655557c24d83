#include "cli/predictions.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mmo/core/atomic_file.h"
#include "mmo/core/error.h"
#include "mmo/core/printable.h"

namespace mmo::cli {

std::string escaped_name(const std::string& name) {
  std::string text;
  for (const char c : name) {
    switch (c) {
      case '\t':
        text += "\\t";
        break;
      case '\n':
        text += "\\n";
        break;
      case '\\':
        text += "\\\\";
        break;
      default:
        text += c;
    }
  }
  return printable(text);
}

namespace {

std::string csv_field(const std::string& name) {
  if (name.find_first_of(",\"\n\r") == std::string::npos) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::string number(float value) { return fmt::format("{:.6g}", value); }

}  // namespace

PredictionFormat parse_prediction_format(const std::string& name) {
  if (name == "names") return PredictionFormat::names;
  if (name == "indicator") return PredictionFormat::indicator;
  if (name == "jsonl") return PredictionFormat::jsonl;
  if (name == "svmlight") return PredictionFormat::svmlight;
  throw UsageError(fmt::format("--as '{}' is unknown; use names, indicator, jsonl or svmlight", name));
}

std::vector<std::string> svmlight_names(const std::vector<std::string>& label_names) {
  const bool numbers = std::all_of(label_names.begin(), label_names.end(), [](const std::string& name) {
    return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  });
  if (numbers) return label_names;
  std::vector<std::string> indices;
  indices.reserve(label_names.size());
  for (std::size_t j = 0; j < label_names.size(); ++j) indices.push_back(std::to_string(j));
  return indices;
}

PredictionWriter::PredictionWriter(AtomicFile& out, PredictionFormat format,
                                   std::vector<std::string> label_names, bool scores,
                                   const std::string& id_column)
    : out_(out), format_(format), names_(std::move(label_names)), scores_(scores), ids_(!id_column.empty()) {
  if (format_ == PredictionFormat::names) {
    for (std::string& name : names_) name = escaped_name(name);
  } else if (format_ == PredictionFormat::svmlight) {
    names_ = svmlight_names(names_);
  } else if (format_ == PredictionFormat::indicator) {
    std::string heading = ids_ ? csv_field(id_column) + "," : "";
    for (std::size_t j = 0; j < names_.size(); ++j)
      heading += (j == 0 ? "" : ",") + csv_field(csv_name(names_[j]));
    out_.write(heading + "\n");
  }
}

std::string PredictionWriter::json_line(std::span<const std::uint32_t> labels,
                                        std::span<const float> probabilities, const std::string& id) const {
  nlohmann::ordered_json row;
  if (ids_) row["id"] = id;
  row["labels"] = nlohmann::ordered_json::array();
  for (const std::uint32_t j : labels) row["labels"].push_back(names_[j]);
  if (scores_) {
    row["scores"] = nlohmann::ordered_json::object();
    for (const std::uint32_t j : labels) row["scores"][names_[j]] = std::stod(number(probabilities[j]));
  }
  return printable_json(row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void PredictionWriter::write_row(std::span<const std::uint32_t> labels, std::span<const float> probabilities,
                                 const std::string& id) {
  std::string line;
  switch (format_) {
    case PredictionFormat::names:
      if (ids_) line = escaped_name(id);
      for (const std::uint32_t j : labels) {
        if (!line.empty() || ids_) line += '\t';
        line += names_[j];
        if (scores_) line += ":" + number(probabilities[j]);
      }
      break;
    case PredictionFormat::indicator:
      if (ids_) line = csv_field(id) + ",";
      for (std::size_t j = 0; j < names_.size(); ++j) {
        if (j > 0) line += ',';
        const bool present = std::find(labels.begin(), labels.end(), j) != labels.end();
        line += scores_ ? number(probabilities[j]) : std::string(present ? "1" : "0");
      }
      break;
    case PredictionFormat::jsonl:
      line = json_line(labels, probabilities, id);
      break;
    case PredictionFormat::svmlight:
      for (const std::uint32_t j : labels) line += (line.empty() ? "" : ",") + names_[j];
      if (scores_) {
        for (std::size_t j = 0; j < names_.size(); ++j)
          line += fmt::format(" {}:{}", j, number(probabilities[j]));
      }
      if (ids_) line += " # " + escaped_name(id);
      break;
  }
  out_.write(line + "\n");
}

}  // namespace mmo::cli
