#include "mmo/report/read_report.h"

#include <fmt/format.h>

#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/core/json.h"
#include "mmo/metric/metric.h"
#include "mmo/report/model_report.h"
#include "mmo/report/run_report.h"

namespace mmo {
namespace {

using nlohmann::ordered_json;

// Every column of the labels must have an entry per label; counts must be numbers.
void check_labels(const ordered_json& report, const std::string& path) {
  const auto refuse = [&](const std::string& what) {
    throw DataError(fmt::format("{}: {}; the file is damaged or was changed: write it again", path, what));
  };
  const ordered_json& labels = report["labels"];
  if (!labels.is_object() || !labels.contains("names") || !labels["names"].is_array())
    refuse("labels have no names");
  const std::size_t count = labels["names"].size();
  for (const char* column : {"tp", "fp", "fn", "tn"}) {
    if (!labels.contains(column)) refuse(fmt::format("labels have no '{}'", column));
    for (const ordered_json& value : labels[column]) {
      if (!value.is_number()) refuse(fmt::format("'{}' holds {} instead of a count", column, value.dump()));
    }
  }
  for (const auto& [name, column] : labels.items()) {
    if (name == "feature_names") continue;
    if (!column.is_array() || column.size() != count)
      refuse(fmt::format("'{}' does not have one entry for each of {} labels", name, count));
  }
}

void check_metric(const ordered_json& report, const std::string& path) {
  const bool good = report.contains("metric") && report["metric"].is_object() &&
                    report["metric"].contains("name") && report["metric"]["name"].is_string() &&
                    report["metric"].contains("ratios") && report["metric"]["ratios"].is_array();
  if (!good) throw DataError(fmt::format("{}: the report does not say which metric it is about", path));
}

bool is_training_record(const ordered_json& json) {
  return json.contains("method") && json.contains("metric") && json["metric"].is_string() &&
         json.contains("out_of_fold");
}

// From the output of `mmo train --json`.
ordered_json from_training_record(const ordered_json& record, const std::string& path) {
  Model model;
  model.metric.name = record["metric"].get<std::string>();
  try {
    model.metric = parse_metric(model.metric.name);
  } catch (const UsageError&) {
    model.metric.ratios.clear();  // a metric from a file: the record has only its name
  }
  model.history = nlohmann::json(record);
  return model_report(model, path, "");
}

}  // namespace

ordered_json read_report(const std::string& path) {
  const FileContent file = FileContent::open(path);
  ordered_json json;
  try {
    json = parse_ordered_json(file.bytes());
  } catch (const JsonError&) {
    throw DataError(
        fmt::format("{}: not JSON, or cut short: a report is written by --report FILE.json", path));
  }
  if (!json.is_object() || json.value("format", ordered_json()) != "mmo-report") {
    if (json.is_object() && is_training_record(json)) return from_training_record(json, path);
    throw DataError(fmt::format(
        "{}: not a report of mmo; write one with --report FILE.json (mmo evaluate, train)", path));
  }
  const ordered_json schema = json.value("schema", ordered_json());
  if (!schema.is_number_integer() || schema.get<int>() < 1)
    throw DataError(fmt::format("{}: the report does not say its schema", path));
  if (schema.get<int>() > report_schema) {
    throw DataError(fmt::format("{}: written by a newer mmo ({}, schema {}); this one knows schemas up to {}",
                                path, json.value("version", "unknown"), schema.get<int>(), report_schema));
  }
  check_metric(json, path);
  if (json.contains("labels")) check_labels(json, path);
  return json;
}

}  // namespace mmo
