#include "cli/model_card.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "cli/history.h"
#include "cli/terminal.h"
#include "mmo/core/error.h"
#include "mmo/core/nearest.h"
#include "mmo/model/inspect.h"

namespace mmo::cli {
namespace {

constexpr std::size_t features_of_one_label = 10;
constexpr std::size_t labels_listed = 30;

std::string label_list(const Model& model) {
  std::string text = fmt::format("{}:", model.labels());
  for (std::size_t j = 0; j < std::min(model.labels(), labels_listed); ++j) text += " " + model.label_name(j);
  return text + (model.labels() > labels_listed ? " … (all: --json)" : "");
}

std::string input_text(const Model& model) {
  if (model.text) return fmt::format("raw text, {} words or n-grams", model.features());
  return fmt::format("{} columns{}", model.encoder.raw_columns,
                     model.encoder.identity() ? "" : fmt::format(", coded as {}", model.features()));
}

nlohmann::ordered_json features_json(const std::vector<HeavyFeature>& features) {
  auto list = nlohmann::ordered_json::array();
  for (const HeavyFeature& f : features) list.push_back({{"feature", f.name}, {"weight", f.weight}});
  return list;
}

// Trees and kernels have no weight per feature.
bool has_weights(const Model& model) {
  return std::any_of(model.weights.values.begin(), model.weights.values.end(),
                     [](float w) { return w != 0; });
}

constexpr auto no_weights =
    "\nno linear part, so no feature has a weight; mmo inspect MODEL --importance DATA tells what each is "
    "worth\n";

// The calibrated probability from which a label is predicted; none if the rule looks at whole rows.
std::optional<double> probability_threshold(const Model& model, std::size_t label) {
  if (model.rule.kind != DecisionRule::Kind::thresholds) return std::nullopt;
  return 1 / (1 + std::exp(-static_cast<double>(model.rule.thresholds[label])));
}

}  // namespace

std::size_t label_number(const Model& model, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t j = 0; j < model.labels(); ++j) {
    known.push_back(model.label_name(j));
    if (known.back() == name) return j;
  }
  const std::string meant = nearest(name, known);
  throw UsageError(fmt::format("the model has no label '{}'{}", name,
                               meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
}

bool is_model_file(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;  // a pipe's start can't be read twice
  std::ifstream file(path, std::ios::binary);
  char start[10];
  if (!file.read(start, sizeof start)) return false;
  std::uint64_t header = 0;
  std::memcpy(&header, start, sizeof header);
  constexpr std::uint64_t longest_header = std::uint64_t{1} << 40;
  return header < longest_header && start[8] == '{' && start[9] == '"';
}

void refuse_swapped(const std::string& model, const std::string& data) {
  if (is_model_file(model) || !is_model_file(data)) return;
  throw UsageError(fmt::format("{} is a model and {} is not: the model comes first", data, model));
}

nlohmann::ordered_json model_card(const Model& model, std::size_t top) {
  nlohmann::ordered_json card;
  card["metric"] = model.metric.name;
  card["labels"] = model.labels();
  for (std::size_t j = 0; j < model.labels(); ++j) card["label_names"].push_back(model.label_name(j));
  card["features"] = model.features();
  card["text"] = model.text.has_value();
  card["feature_map"] = kind_name(model.feature_map.kind);
  card["label_mix"] = model.mix.has_value();
  card["history"] = model.history;
  if (top == 0) return card;
  const FeatureWeights weights(model);
  for (std::size_t j = 0; j < model.labels(); ++j)
    card["top_features"][model.label_name(j)] = features_json(weights.heaviest(j, top));
  return card;
}

std::string model_card_text(const Model& model, std::size_t top) {
  std::string text = history_text(model) + fmt::format("{:<16}{}\n{:<16}{}\n", "input", input_text(model),
                                                       "labels", label_list(model));
  if (top == 0) return text;
  if (!has_weights(model)) return text + no_weights;
  text += "\nheaviest features of each label\n";
  const FeatureWeights weights(model);
  for (std::size_t j = 0; j < model.labels(); ++j) {
    std::string list;
    for (const HeavyFeature& f : weights.heaviest(j, top))
      list += fmt::format("  {} {:+.3g}", f.name, f.weight);
    text += fmt::format("{}:{}\n", model.label_name(j), list);
  }
  return text;
}

nlohmann::ordered_json label_card(const Model& model, const std::string& label, std::size_t top) {
  const std::size_t j = label_number(model, label);
  nlohmann::ordered_json card{{"label", label}, {"bias", model.bias[j]}};
  if (const auto threshold = probability_threshold(model, j)) card["threshold"] = *threshold;
  card["top_features"][label] =
      features_json(FeatureWeights(model).heaviest(j, top == 0 ? features_of_one_label : top));
  return card;
}

std::string label_card_text(const Model& model, const std::string& label, std::size_t top) {
  const std::size_t j = label_number(model, label);
  std::string text = fmt::format("{:<16}{}\n", "label", label);
  if (const auto threshold = probability_threshold(model, j)) {
    text += fmt::format("{:<16}{}\n", "predicted",
                        *threshold >= 1   ? "never"
                        : *threshold <= 0 ? "always"
                                          : fmt::format("from a probability of {:.4f}", *threshold));
  }
  if (!has_weights(model)) return text + no_weights;
  text += fmt::format("{:<16}{:+.4g}\n", "bias", model.bias[j]);
  std::vector<std::vector<std::string>> rows{{"feature", "weight"}};
  for (const HeavyFeature& f : FeatureWeights(model).heaviest(j, top == 0 ? features_of_one_label : top))
    rows.push_back({f.name, fmt::format("{:+.3g}", f.weight)});
  return text + table(rows);
}

}  // namespace mmo::cli
