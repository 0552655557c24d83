// The model file: tensors (model_parts.h) and, in the metadata, "format", "format_version" and "model": JSON
// with everything small. A change that old programs can't read raises format_version; this program reads all
// versions up to its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/json.h"
#include "mmo/core/mapped_file.h"
#include "mmo/model/input_parts.h"
#include "mmo/model/label_tree_parts.h"
#include "mmo/model/model.h"
#include "mmo/model/model_parts.h"
#include "mmo/model/safetensors.h"
#include "mmo/model/scorer_parts.h"

namespace mmo {
namespace {

using nlohmann::json;

constexpr auto format_name = "mmo-model";
// 2: tables of text, categories and dates; 3: learners beside the linear one; 4: trees over raw columns;
// 5: label trees
constexpr int format_version = 5;
constexpr std::size_t ratio_numbers = 8;

constexpr std::array averages{Average::micro, Average::macro, Average::samples, Average::weighted};
constexpr std::array<std::pair<DecisionRule::Kind, const char*>, 2> rule_kinds{
    {{DecisionRule::Kind::thresholds, "thresholds"}, {DecisionRule::Kind::expected_count, "expected-count"}}};

void append(std::vector<double>& out, const CountRatio& r) {
  for (const CountWeights& w : {r.numerator, r.denominator}) out.insert(out.end(), {w.tp, w.fp, w.fn, w.tn});
}

CountRatio ratio_at(const std::vector<double>& numbers, std::size_t first) {
  const auto at = [&](std::size_t k) {
    return CountWeights{numbers[k], numbers[k + 1], numbers[k + 2], numbers[k + 3]};
  };
  return {at(first), at(first + 4)};
}

// JSON has no NaN.
json number_or_name(double value) { return std::isnan(value) ? json("nan") : json(value); }
double number_from(const json& value) {
  return value.is_string() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

json save_metric(const Metric& metric, PartWriter& out) {
  std::vector<double> numbers;
  for (const CountRatio& ratio : metric.ratios) append(numbers, ratio);
  out.keep("metric.ratios", numbers, {metric.ratios.size(), ratio_numbers});
  return {{"name", metric.name},
          {"average", average_name(metric.average)},
          {"zero_division", number_or_name(metric.zero_division)}};
}

Metric load_metric(const json& from, const PartReader& in, std::size_t labels) {
  Metric metric;
  metric.name = from.at("name").get<std::string>();
  const auto average = std::find_if(averages.begin(), averages.end(), [&](Average known) {
    return average_name(known) == from.at("average").get<std::string>();
  });
  in.require(average != averages.end(), "its metric has an unknown average");
  metric.average = *average;
  metric.zero_division = number_from(from.at("zero_division"));
  in.require(metric.zero_division == 0 || metric.zero_division == 1 || std::isnan(metric.zero_division),
             "its metric's value of 0/0 is neither 0, 1 nor nan");
  const std::size_t ratios = from.at("ratios").get<std::size_t>();
  in.require(ratios == 1 || ratios == labels, "its metric has neither one ratio nor one per label");
  const auto numbers = in.read<double>("metric.ratios", {ratios, ratio_numbers});
  for (std::size_t r = 0; r < ratios; ++r) metric.ratios.push_back(ratio_at(numbers, r * ratio_numbers));
  return metric;
}

json save_mix(const LabelMix& mix, PartWriter& out) {
  out.add("mix.centre", mix.centre);
  out.add_matrix("mix.weights", mix.weights);
  return {{"scale", mix.scale}, {"shift", mix.shift}};
}

LabelMix load_mix(const json& from, const PartReader& in, std::size_t labels) {
  LabelMix mix;
  mix.scale = from.at("scale").get<float>();
  mix.shift = from.at("shift").get<float>();
  in.require(std::isfinite(mix.scale) && std::isfinite(mix.shift), "its label mix is not finite");
  mix.centre = in.read<float>("mix.centre", labels);
  mix.weights = in.read_matrix("mix.weights", labels);
  in.require(mix.weights.rows == labels, "its label mix is not square");
  return mix;
}

json save_rule(const DecisionRule& rule, PartWriter& out) {
  std::vector<double> ratio;
  append(ratio, rule.ratio);
  out.add("rule.thresholds", rule.thresholds);
  out.keep("rule.ratio", ratio, {ratio_numbers});
  const auto kind = std::find_if(rule_kinds.begin(), rule_kinds.end(),
                                 [&](const auto& known) { return known.first == rule.kind; });
  return {{"kind", kind->second}, {"min_labels", rule.min_labels}, {"max_labels", rule.max_labels}};
}

DecisionRule load_rule(const json& from, const PartReader& in, std::size_t labels) {
  DecisionRule rule;
  const auto kind = std::find_if(rule_kinds.begin(), rule_kinds.end(), [&](const auto& known) {
    return known.second == from.at("kind").get<std::string>();
  });
  in.require(kind != rule_kinds.end(), "its decision rule is of an unknown kind");
  rule.kind = kind->first;
  rule.min_labels = from.at("min_labels").get<std::size_t>();
  rule.max_labels = from.at("max_labels").get<std::size_t>();
  rule.ratio = ratio_at(in.read<double>("rule.ratio", ratio_numbers), 0);
  const bool none = rule.kind == DecisionRule::Kind::expected_count && in.length("rule.thresholds") == 0;
  rule.thresholds = in.read_limits("rule.thresholds", none ? 0 : labels);
  return rule;
}

// Older programs read what they can.
int needed_version(const Model& model) {
  if (model.trees) return 5;
  if (model.wants_table()) return 4;
  if (!model.others.empty()) return 3;
  return is_plain_input(model.encoder) ? 1 : 2;
}

// `parts` keeps pointers into the model.
Metadata save_parts(const Model& model, PartWriter& parts) {
  json out;
  parts.add_strings("labels", model.label_names);
  if (model.trees) {
    out["label_trees"] = save_label_trees(*model.trees, parts);
  } else {
    parts.add("bias", model.bias);
    parts.add_matrix("weights", model.weights);
  }
  out["metric"] = save_metric(model.metric, parts);
  out["metric"]["ratios"] = model.metric.ratios.size();
  if (model.text) out["text"] = save_words(*model.text, "text", parts);
  out["encoder"] = save_encoder(model.encoder, parts);
  out["feature_map"] = save_feature_map(model.feature_map, "feature_map", parts);
  if (!model.others.empty()) out["others"] = save_others(model.others, parts);
  if (model.mix) out["mix"] = save_mix(*model.mix, parts);
  out["rule"] = save_rule(model.rule, parts);
  out["history"] = with_reading(model.history, model.reading);
  return {{"format", format_name},
          {"format_version", std::to_string(needed_version(model))},
          {"model", out.dump(-1, ' ', false, json::error_handler_t::replace)}};
}

Model load_parts(const json& from, const PartReader& in) {
  Model model;
  const bool has_trees = from.contains("label_trees");
  const std::size_t labels = in.length(has_trees ? "label_trees.shift" : "bias");
  in.require(labels > 0, "it has no labels");
  if (has_trees) {
    model.trees = load_label_trees(from.at("label_trees"), in, labels);
  } else {
    model.bias = in.read<float>("bias", labels);
    model.weights = in.read_matrix("weights", labels);
  }
  model.label_names = in.read_strings("labels");
  in.require(model.label_names.empty() || model.label_names.size() == labels,
             "its label names are incomplete");
  model.metric = load_metric(from.at("metric"), in, labels);
  if (from.contains("text")) model.text = load_words(from.at("text"), "text", in);
  model.encoder = load_encoder(from.at("encoder"), in);
  const std::size_t columns = model.text ? model.text->vocabulary().size() : model.encoder.outputs();
  in.require(
      columns == model.features(),
      fmt::format("its weights are for {} features, its input stage gives {}", model.features(), columns));
  model.feature_map = load_feature_map(from.at("feature_map"), "feature_map", in, columns);
  if (from.contains("others")) model.others = load_others(from.at("others"), in, model);
  if (from.contains("mix")) model.mix = load_mix(from.at("mix"), in, labels);
  model.rule = load_rule(from.at("rule"), in, labels);
  model.history = from.at("history");
  model.reading = reading_of(model.history);
  return model;
}

// Before anything else, so that a file of a later version is not called damaged.
void check_version(const TensorFile& file, const std::string& path) {
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != format_name) {
    throw ModelError(path +
                     ": a safetensors file, but not a model of mmo; give a file that `mmo train` wrote");
  }
  const auto found = file.metadata.find("format_version");
  const std::string version = found == file.metadata.end() ? "" : found->second;
  const bool digits =
      !version.empty() && version.size() < 9 &&
      std::all_of(version.begin(), version.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || std::stoi(version) < 1) {
    throw ModelError(
        fmt::format("{}: format_version '{}' is not a version; the file is damaged", path, version));
  }
  if (std::stoi(version) > format_version) {
    throw ModelError(
        fmt::format("{}: written by a newer mmo (format {}, this program reads up to {}); update mmo", path,
                    version, format_version));
  }
}

}  // namespace

void save_model(const Model& model, const std::string& path, bool overwrite, FileSet* together) {
  PartWriter parts;
  const Metadata metadata = save_parts(model, parts);
  write_safetensors(path, parts.tensors(), metadata, overwrite, together);
}

std::string model_bytes(const Model& model) {
  PartWriter parts;
  const Metadata metadata = save_parts(model, parts);
  return safetensors_bytes(parts.tensors(), metadata);
}

Model load_model(const std::string& path) {
  try {
    const FileContent content = FileContent::open(path);
    return if_unchanged(content.bytes(), content.name(), [&] { return load_model(content); });
  } catch (const DataError& damaged) {  // a compressed model that can't be unpacked
    throw ModelError(damaged.what());
  }
}

Model load_model(const FileContent& content) {
  const TensorFile file = read_safetensors(content);
  check_version(file, file.content.name());
  file.verify_checksum();
  const PartReader parts(file.tensors, file.content.name());
  const auto text = file.metadata.find("model");
  parts.require(text != file.metadata.end(), "it lacks the metadata 'model'");
  try {
    return load_parts(parse_json(text->second), parts);
  } catch (const json::exception& error) {
    parts.fail(std::string("its metadata is incomplete (") + error.what() + ")");
  } catch (const UsageError& error) {  // an unknown name of a stage
    parts.fail(error.what());
  }
}

}  // namespace mmo
