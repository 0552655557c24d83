#include "cli/weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unordered_map>

#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/core/json.h"
#include "mmo/data/label_columns.h"
#include "mmo/metric/class_weights.h"

namespace mmo::cli {
namespace {

using nlohmann::json;

std::unordered_map<std::string, std::size_t> label_indices(const Dataset& data) {
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t j = 0; j < data.labels(); ++j) index.emplace(data.label_name(j), j);
  return index;
}

json parse_file(const FileContent& content) {
  try {
    return parse_json(content.bytes());
  } catch (const json::exception& error) {
    throw DataError(content.name(), 0, fmt::format("not valid JSON: {}", error.what()));
  }
}

double checked_weight(const json& value, const FileContent& content, const std::string& what) {
  if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0) {
    throw DataError(content.name(), 0,
                    fmt::format("the weight of {} is {}; it must be a number ≥ 0", what, value.dump()));
  }
  return value.get<double>();
}

std::size_t label_index(const std::unordered_map<std::string, std::size_t>& index, const std::string& name,
                        const FileContent& content) {
  const auto found = index.find(name);
  if (found == index.end())
    throw DataError(content.name(), 0, fmt::format("the data have no label '{}'", name));
  return found->second;
}

// A list of l numbers: JSON or one per line.
json read_list(const FileContent& content) {
  const std::string_view bytes = content.bytes();
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && (bytes[start] == '{' || bytes[start] == '['))
    return parse_file(content);
  json list = json::array();
  std::istringstream lines{std::string(bytes)};
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const json value = try_parse_json(line);
    if (!value.is_number()) throw DataError(content.name(), number, shown(line) + " is not a number");
    list.push_back(value);
  }
  return list;
}

}  // namespace

std::vector<float> read_label_weights(const std::string& path, const Dataset& data) {
  if (path.empty()) return {};
  const FileContent content = FileContent::open(path);
  const json weights = read_list(content);
  std::vector<float> result(data.labels(), 1.0F);
  if (weights.is_object()) {
    const auto index = label_indices(data);
    for (const auto& [name, value] : weights.items()) {
      result[label_index(index, name, content)] =
          static_cast<float>(checked_weight(value, content, fmt::format("label '{}'", name)));
    }
  } else {
    if (weights.size() != data.labels()) {
      throw DataError(content.name(), 0,
                      fmt::format("{} weights for {} labels", weights.size(), data.labels()));
    }
    for (std::size_t j = 0; j < result.size(); ++j) {
      result[j] = static_cast<float>(
          checked_weight(weights[j], content, fmt::format("label '{}'", data.label_name(j))));
    }
  }
  if (std::all_of(result.begin(), result.end(), [](float weight) { return weight == 0; }))
    throw DataError(content.name(), 0, "all label weights are 0: nothing would count");
  return result;
}

Metric weight_classes(const Metric& metric, const std::string& path, const Dataset& data) {
  if (path.empty()) return metric;
  const FileContent content = FileContent::open(path);
  const json weights = parse_file(content);
  if (!weights.is_object()) {
    throw DataError(content.name(), 0,
                    "expected an object such as {\"label\": {\"positive\": 5, \"negative\": 1}}");
  }
  std::vector<ClassWeights> pairs(data.labels());
  const auto read_pair = [&](const json& entry, const std::string& name) {
    if (!entry.is_object())
      throw DataError(content.name(), 0, fmt::format("'{}' needs \"positive\" and \"negative\"", name));
    const auto weight = [&](const char* side) {
      return checked_weight(entry.value(side, json(1.0)), content, fmt::format("'{}', {}", name, side));
    };
    const ClassWeights pair{.positive = weight("positive"), .negative = weight("negative")};
    if (pair.positive == 0 && pair.negative == 0)
      throw DataError(content.name(), 0,
                      fmt::format("'{}': both class weights are 0; leave the label out with --labels", name));
    return pair;
  };
  if (weights.contains("*")) std::fill(pairs.begin(), pairs.end(), read_pair(weights["*"], "*"));
  const auto index = label_indices(data);
  for (const auto& [name, entry] : weights.items()) {
    if (name != "*") pairs[label_index(index, name, content)] = read_pair(entry, name);
  }
  return mmo::weight_classes(metric, pairs);
}

}  // namespace mmo::cli
