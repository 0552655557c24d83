#include "mmo/report/search_record.h"

#include <algorithm>
#include <vector>

#include "mmo/report/report_json.h"

namespace mmo {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// A single value as it is; several become {low, middle, high}.
ordered_json summary(const json& values) {
  std::vector<double> numbers;
  for (const json& value : values.is_array() ? values : json::array({values})) {
    if (value.is_number()) numbers.push_back(value.get<double>());
  }
  if (numbers.empty()) return nullptr;
  std::sort(numbers.begin(), numbers.end());
  if (numbers.size() == 1) return rounded_number(numbers[0], 6);
  return {rounded_number(numbers.front()), rounded_number(numbers[numbers.size() / 2]),
          rounded_number(numbers.back())};
}

ordered_json lambda_record(const json& lambda) {
  ordered_json steps = ordered_json::array();
  for (const json& step : lambda.value("steps", json::array())) {
    if (!step.is_object()) continue;
    steps.push_back({{"lambda", summary(step.value("lambda", json()))},
                     {"metric", summary(step.value("metric", json()))}});
  }
  return {{"chosen", summary(lambda.value("chosen", json()))}, {"steps", steps}};
}

}  // namespace

ordered_json search_record(const json& history) {
  ordered_json record = ordered_json::object();
  if (!history.is_object()) return record;
  for (const char* key :
       {"version",  "method",        "metric",    "effort", "seed",           "settings",    "folds",
        "rows",     "searched_rows", "features",  "labels", "trained_labels", "feature_map", "losses",
        "learners", "blend",         "label_mix", "rule",   "subject_to",     "adam",        "out_of_fold"}) {
    if (history.contains(key)) record[key] = history[key];
  }
  if (history.contains("lambda") && history["lambda"].is_object())
    record["lambda"] = lambda_record(history["lambda"]);
  return record;
}

}  // namespace mmo
