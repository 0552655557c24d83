#include "mmo/model/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mmo/core/parallel.h"

namespace mmo {
namespace {

using nlohmann::json;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::size_t labels_per_task = 16;

// What one unit of the mapped feature is worth: the idf for words, 0 for columns that were constant in
// training.
std::vector<float> feature_units(const Model& model) {
  std::vector<float> units(model.features(), 1.0F);
  if (model.text) units = model.text->idf();
  if (model.encoder.sparse) {
    std::size_t at = units.size();
    for (const WordColumn& text : model.encoder.sparse->words) at -= text.words.idf().size();
    for (const WordColumn& text : model.encoder.sparse->words) {
      std::copy(text.words.idf().begin(), text.words.idf().end(),
                units.begin() + static_cast<std::ptrdiff_t>(at));
      at += text.words.idf().size();
    }
  }
  const std::vector<float>& scale = model.feature_map.scale;
  for (std::size_t k = 0; k < scale.size(); ++k) {
    if (model.feature_map.kind == FeatureMap::Kind::idf_l2) {
      units[k] *= scale[k];
    } else if (scale[k] == 0) {
      units[k] = 0;
    }
  }
  return units;
}

std::vector<std::string> feature_names(const Model& model) {
  std::vector<std::string> names = model.text ? model.text->vocabulary() : model.encoder.output_names();
  for (std::size_t k = names.size(); k < model.features(); ++k) names.push_back("f" + std::to_string(k));
  return names;
}

json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "never" : "always";
  return value;
}

// Null where there are none.
json trees_card(const Model& model) {
  if (!model.trees) return nullptr;
  std::size_t nodes = 0;
  std::size_t weights = 0;
  for (const LabelTreeScorer& tree : model.trees->trees) {
    nodes += tree.nodes();
    weights += tree.weight.size();
  }
  return {{"trees", model.trees->trees.size()},
          {"nodes", nodes},
          {"weights", weights},
          {"list", model.trees->length}};
}

json metric_card(const Metric& metric) {
  json definition = json::array();
  for (const CountRatio& ratio : metric.ratios) definition.push_back(formula(ratio));
  return {{"name", metric.name},
          {"average", average_name(metric.average)},
          {"definition", metric.ratios.size() == 1 ? definition[0] : definition},
          {"zero_division", number(metric.zero_division)}};
}

json input_card(const Model& model) {
  if (model.text) {
    const TextOptions& o = model.text->options();
    return {{"kind", "text"},
            {"words", model.text->vocabulary().size()},
            {"ngrams", {o.min_n, o.max_n}},
            {"lowercase", o.lowercase},
            {"sublinear_tf", o.sublinear_tf}};
  }
  const auto nominal = std::count_if(model.encoder.columns.begin(), model.encoder.columns.end(),
                                     [](const FeatureInfo& column) { return column.nominal(); });
  json card{{"kind", "columns"},
            {"columns", model.encoder.raw_columns},
            {"nominal", nominal},
            {"imputes", !model.encoder.fill.empty()}};
  if (model.encoder.sparse) card["texts"] = model.encoder.sparse->words.size();
  return card;
}

// The learners other than the linear one.
json others_card(const Model& model) {
  json out = json::array();
  for (const WeightedScorer& other : model.others) {
    if (const auto* kernel = std::get_if<KernelScorer>(&other.scorer)) {
      out.push_back({{"kind", "kernel"}, {"landmarks", kernel->landmarks.cols}});
    } else {
      const auto& forest = std::get<ForestScorer>(other.scorer);
      out.push_back({{"kind", "trees"}, {"trees", forest.trees()}, {"leaves", forest.leaves()}});
    }
  }
  return out;
}

json rule_card(const DecisionRule& rule) {
  std::vector<float> finite;
  std::size_t never = 0;
  std::size_t always = 0;
  for (const float t : rule.thresholds) {
    if (std::isfinite(t)) finite.push_back(t);
    never += t == infinity ? 1 : 0;
    always += t == -infinity ? 1 : 0;
  }
  std::sort(finite.begin(), finite.end());
  const bool by_threshold = rule.kind == DecisionRule::Kind::thresholds;
  json card{{"kind", by_threshold ? "thresholds" : "expected-count"},
            {"min_labels", rule.min_labels},
            {"max_labels", rule.max_labels},
            {"never_predicted", never},
            {"always_predicted", always}};
  if (!by_threshold) card["maximises"] = formula(rule.ratio);
  if (by_threshold && !finite.empty()) {
    card["thresholds"] = {
        {"min", finite.front()}, {"median", finite[finite.size() / 2]}, {"max", finite.back()}};
  }
  return card;
}

// The history's scalars, one level deep.
std::string highlights(const json& history) {
  std::string out;
  if (!history.is_object()) return out;
  for (const auto& [key, value] : history.items()) {
    if (value.is_structured()) continue;
    out += fmt::format("  {:<16} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return out;
}

std::string short_number(const json& value) {
  return value.is_number() ? fmt::format("{:.4g}", value.get<double>()) : value.get<std::string>();
}

std::string rule_text(const json& rule) {
  std::string out = rule["kind"].get<std::string>();
  if (rule.contains("thresholds")) {
    const json& t = rule["thresholds"];
    out += t["min"] == t["max"] ? fmt::format(", all {}", short_number(t["min"]))
                                : fmt::format(", {} to {}, median {}", short_number(t["min"]),
                                              short_number(t["max"]), short_number(t["median"]));
  }
  if (rule.contains("maximises"))
    out += ", the k surest labels that maximise " + rule["maximises"].get<std::string>();
  if (rule["min_labels"] != 0) out += fmt::format(", at least {} per row", rule["min_labels"].dump());
  if (rule["max_labels"] != 0) out += fmt::format(", at most {} per row", rule["max_labels"].dump());
  if (rule["never_predicted"] != 0)
    out += fmt::format(", {} labels never predicted", rule["never_predicted"].dump());
  if (rule["always_predicted"] != 0)
    out += fmt::format(", {} labels always predicted", rule["always_predicted"].dump());
  return out;
}

std::string input_text(const json& input) {
  if (input["kind"] == "text") {
    return fmt::format("raw text, tf-idf of {} terms ({} to {} words each)", input["words"].dump(),
                       input["ngrams"][0].dump(), input["ngrams"][1].dump());
  }
  return fmt::format("{} columns, {} nominal{}{}", input["columns"].dump(), input["nominal"].dump(),
                     input.contains("texts") ? fmt::format(", {} of text", input["texts"].dump()) : "",
                     input["imputes"].get<bool>() ? ", missing values imputed" : "");
}

}  // namespace

FeatureWeights::FeatureWeights(const Model& model)
    : model_(model), units_(feature_units(model)), names_(feature_names(model)) {}

std::vector<HeavyFeature> FeatureWeights::heaviest(std::size_t label, std::size_t count) const {
  std::vector<std::pair<float, std::size_t>> heavy;  // −|weight|, column
  for (std::size_t k = 0; k < model_.weights.rows; ++k) {
    const float weight = model_.weights(k, label) * units_[k];
    if (weight != 0) heavy.emplace_back(-std::abs(weight), k);
  }
  const std::size_t kept = std::min(count, heavy.size());
  std::partial_sort(heavy.begin(), heavy.begin() + static_cast<std::ptrdiff_t>(kept), heavy.end());
  std::vector<HeavyFeature> out;
  for (std::size_t e = 0; e < kept; ++e) {
    const std::size_t k = heavy[e].second;
    out.push_back({names_[k], model_.weights(k, label) * units_[k]});
  }
  return out;
}

json model_card(const Model& model, std::size_t features_per_label) {
  const auto zeros = std::count(model.weights.values.begin(), model.weights.values.end(), 0.0F);
  json card{{"metric", metric_card(model.metric)},
            {"input", input_card(model)},
            {"features", model.features()},
            {"labels", model.labels()},
            {"weights",
             {{"stored", model.weights.values.size()},
              {"nonzero", model.weights.values.size() - static_cast<std::size_t>(zeros)}}},
            {"feature_map", kind_name(model.feature_map.kind)},
            {"others", others_card(model)},
            {"label_trees", trees_card(model)},
            {"mix", model.mix.has_value()},
            {"rule", rule_card(model.rule)},
            {"history", model.history}};
  const FeatureWeights weights(model);
  std::vector<std::vector<HeavyFeature>> heavy(model.labels());
  parallel_ranges(model.labels(), labels_per_task, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) heavy[j] = weights.heaviest(j, features_per_label);
  });
  card["label_table"] = json::array();
  for (std::size_t j = 0; j < model.labels(); ++j) {
    json features = json::array();
    for (const HeavyFeature& feature : heavy[j]) {
      features.push_back({{"feature", feature.name}, {"weight", feature.weight}});
    }
    json row{{"label", model.label_name(j)}, {"heaviest", features}};
    if (!model.trees) row["bias"] = model.bias[j];
    if (!model.rule.thresholds.empty()) row["threshold"] = number(model.rule.thresholds[j]);
    card["label_table"].push_back(std::move(row));
  }
  return card;
}

std::string model_card_text(const json& card, std::size_t max_labels) {
  const json& metric = card["metric"];
  const std::string definition =
      metric["definition"].is_string() ? metric["definition"].get<std::string>() : "one ratio per label";
  std::string out =
      fmt::format("metric       {} = {} ({} average, 0/0 = {})\n", metric["name"].get<std::string>(),
                  definition, metric["average"].get<std::string>(), short_number(metric["zero_division"]));
  out += fmt::format("input        {}\n", input_text(card["input"]));
  out += fmt::format("feature map  {}\n", card["feature_map"].get<std::string>());
  out +=
      card["label_trees"].is_null()
          ? fmt::format("scores       {} features × {} labels, {} of {} weights not zero\n",
                        card["features"].dump(), card["labels"].dump(), card["weights"]["nonzero"].dump(),
                        card["weights"]["stored"].dump())
          : fmt::format("scores       {} features, {} labels in {} trees of {} nodes, {} weights\n",
                        card["features"].dump(), card["labels"].dump(), card["label_trees"]["trees"].dump(),
                        card["label_trees"]["nodes"].dump(), card["label_trees"]["weights"].dump());
  for (const json& other : card["others"]) {
    out += other["kind"] == "kernel"
               ? fmt::format("and          a kernel machine of {} landmarks\n", other["landmarks"].dump())
               : fmt::format("and          {} trees of {} different leaves\n", other["trees"].dump(),
                             other["leaves"].dump());
  }
  out += fmt::format("label mix    {}\n", card["mix"].get<bool>() ? "yes" : "no");
  out += fmt::format("rule         {}\n", rule_text(card["rule"]));
  const std::string trained = highlights(card["history"]);
  if (!trained.empty()) out += "trained\n" + trained;

  const json& table = card["label_table"];
  const std::size_t shown = std::min(max_labels, table.size());
  if (shown > 0) out += "labels (threshold: heaviest features)\n";
  for (std::size_t j = 0; j < shown; ++j) {
    std::string features;
    for (const json& feature : table[j]["heaviest"]) {
      features += fmt::format("{}{} {:+.3g}", features.empty() ? "" : ", ",
                              feature["feature"].get<std::string>(), feature["weight"].get<double>());
    }
    const std::string threshold = table[j].contains("threshold") ? short_number(table[j]["threshold"]) : "-";
    out += fmt::format("  {} ({}): {}\n", table[j]["label"].get<std::string>(), threshold, features);
  }
  if (shown < table.size()) out += fmt::format("  … and {} more labels\n", table.size() - shown);
  return out;
}

}  // namespace mmo
