#include "cli/model_card.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/history.h"
#include "mmo/core/error.h"
#include "mmo/model/inspect.h"

namespace mmo::cli {
namespace {

std::vector<std::size_t> shown_labels(const Model& model, const std::string& label) {
  std::vector<std::size_t> labels;
  for (std::size_t j = 0; j < model.labels(); ++j) {
    if (label.empty() || model.label_name(j) == label) labels.push_back(j);
  }
  if (labels.empty()) throw UsageError(fmt::format("the model has no label '{}'", label));
  return labels;
}

constexpr std::size_t labels_listed = 30;

std::string label_list(const Model& model) {
  std::string text = fmt::format("{}:", model.labels());
  for (std::size_t j = 0; j < std::min(model.labels(), labels_listed); ++j) text += " " + model.label_name(j);
  return text + (model.labels() > labels_listed ? " … (all: --json)" : "");
}

std::string input_text(const Model& model) {
  if (model.text) return fmt::format("raw text, {} words or n-grams", model.weights.rows);
  return fmt::format("{} columns{}", model.encoder.raw_columns,
                     model.encoder.identity() ? "" : fmt::format(", coded as {}", model.weights.rows));
}

}  // namespace

bool is_model_file(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;  // the start of a pipe can't be read twice
  std::ifstream file(path, std::ios::binary);
  char start[10];
  if (!file.read(start, sizeof start)) return false;
  std::uint64_t header = 0;
  std::memcpy(&header, start, sizeof header);
  constexpr std::uint64_t longest_header = std::uint64_t{1} << 40;
  return header < longest_header && start[8] == '{' && start[9] == '"';
}

nlohmann::ordered_json model_card(const Model& model, std::size_t top, const std::string& label) {
  nlohmann::ordered_json card;
  card["metric"] = model.metric.name;
  card["labels"] = model.labels();
  for (std::size_t j = 0; j < model.labels(); ++j) card["label_names"].push_back(model.label_name(j));
  card["features"] = model.weights.rows;
  card["text"] = model.text.has_value();
  card["feature_map"] = kind_name(model.feature_map.kind);
  card["label_mix"] = model.mix.has_value();
  card["history"] = model.history;
  const auto labels = shown_labels(model, label);
  if (top == 0) return card;
  const FeatureWeights weights(model);
  for (const std::size_t j : labels) {
    auto& list = card["top_features"][model.label_name(j)] = nlohmann::ordered_json::array();
    for (const HeavyFeature& f : weights.heaviest(j, top))
      list.push_back({{"feature", f.name}, {"weight", f.weight}});
  }
  return card;
}

std::string model_card_text(const Model& model, std::size_t top, const std::string& label) {
  std::string text = history_text(model) + fmt::format("{:<16}{}\n{:<16}{}\n", "input", input_text(model),
                                                       "labels", label_list(model));
  const auto labels = shown_labels(model, label);
  const auto used = [](float weight) { return weight != 0; };
  const bool linear = std::any_of(model.weights.values.begin(), model.weights.values.end(), used);
  if (top == 0 || !linear) return text;  // other learners have no weight per feature
  text += "\nheaviest features of each label\n";
  const FeatureWeights weights(model);
  for (const std::size_t j : labels) {
    std::string list;
    for (const HeavyFeature& f : weights.heaviest(j, top))
      list += fmt::format("  {} {:+.3g}", f.name, f.weight);
    text += fmt::format("{}:{}\n", model.label_name(j), list);
  }
  return text;
}

}  // namespace mmo::cli
