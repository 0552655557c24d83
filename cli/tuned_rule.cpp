#include "cli/tuned_rule.h"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "cli/terminal.h"
#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/core/json.h"

namespace mmo::cli {
namespace {

using Json = nlohmann::ordered_json;
constexpr int file_version = 1;
constexpr double infinity = std::numeric_limits<double>::infinity();

std::string threshold_text(double threshold) {
  if (std::isinf(threshold)) return threshold > 0 ? "never" : "always";
  return fmt::format("{}", threshold);
}

// JSON has no infinity.
Json threshold_json(double threshold) {
  return std::isinf(threshold) ? Json(threshold_text(threshold)) : Json(threshold);
}

double threshold_of(const nlohmann::json& value) {
  if (value == "never") return infinity;
  if (value == "always") return -infinity;
  return value.get<double>();
}

Json weights_json(const CountWeights& w) { return {w.tp, w.fp, w.fn, w.tn}; }

CountWeights weights_of(const nlohmann::json& value) {
  const auto w = value.get<std::array<double, 4>>();
  return {w[0], w[1], w[2], w[3]};
}

Json map_json(const ScoreMap& map) {
  return {{"input", map.probabilities ? "probabilities" : "scores"},
          {"scale", map.calibration.scale},
          {"shift", map.calibration.shift}};
}

TunedRule parse_rule_file(const nlohmann::json& file) {
  TunedRule tuned;
  if (file.at("mmo_rule") != file_version) throw ModelError("it was written by another version of mmo");
  tuned.metric = file.at("metric").get<std::string>();
  tuned.kind = parse_rule(file.at("rule").get<std::string>());
  tuned.labels = file.at("labels").get<std::vector<std::string>>();
  const auto& map = file.at("score_map");
  tuned.map.probabilities = map.at("input") == "probabilities";
  tuned.map.calibration = {map.at("scale").get<float>(), map.at("shift").get<float>()};
  DecisionRule& rule = tuned.rule;
  rule.min_labels = file.at("min_labels").get<std::size_t>();
  rule.max_labels = file.value("max_labels", std::size_t{0});
  for (const auto& value : file.at("logit_thresholds"))
    rule.thresholds.push_back(static_cast<float>(threshold_of(value)));
  if (file.contains("expected_counts")) {
    rule.kind = DecisionRule::Kind::expected_count;
    rule.ratio = {weights_of(file["expected_counts"].at("numerator")),
                  weights_of(file["expected_counts"].at("denominator"))};
    if (rule.thresholds.empty()) return tuned;
  } else {
    for (const std::string& label : tuned.labels)
      tuned.thresholds.push_back(threshold_of(file.at("thresholds").at(label)));
  }
  if (rule.thresholds.size() != tuned.labels.size()) throw ModelError("it has not one threshold per label");
  return tuned;
}

}  // namespace

void TunedRule::decide(std::span<const float> scores, std::span<const float> logits,
                       std::vector<std::uint32_t>& out) const {
  out.clear();
  for (std::uint32_t j = 0; j < thresholds.size(); ++j) {
    if (scores[j] >= thresholds[j]) out.push_back(j);
  }
  const bool too_many = rule.max_labels > 0 && out.size() > rule.max_labels;
  if (!thresholds.empty() && out.size() >= rule.min_labels && !too_many) return;
  decide_row(rule, logits, out);
}

Json rule_json(const TunedRule& tuned) {
  Json out{{"rule", rule_name(tuned.kind)},
           {"min_labels", tuned.rule.min_labels},
           {"score_map", map_json(tuned.map)}};
  for (std::size_t j = 0; j < tuned.thresholds.size(); ++j)
    out["thresholds"][tuned.labels[j]] = threshold_json(tuned.thresholds[j]);
  return out;
}

std::string rule_text(const TunedRule& tuned) {
  if (tuned.rule.kind == DecisionRule::Kind::expected_count) {
    return fmt::format(
        "rule: per row, the labels whose expected counts maximise the metric, p = "
        "1/(1+exp(-({:.4g}*{}{:+.4g})))\n",
        tuned.map.calibration.scale, tuned.map.probabilities ? "logit(score)" : "score",
        tuned.map.calibration.shift);
  }
  std::string text = fmt::format("rule: {}; a label is predicted where its score is at least its threshold\n",
                                 rule_name(tuned.kind));
  if (tuned.rule.min_labels > 0)
    text += fmt::format("rows with fewer than {} get their best labels\n", tuned.rule.min_labels);
  if (tuned.rule.max_labels > 0)
    text += fmt::format("rows with more than {} keep those furthest above\n", tuned.rule.max_labels);
  std::vector<std::vector<std::string>> rows{{"label", "threshold"}};
  for (std::size_t j = 0; j < tuned.labels.size(); ++j)
    rows.push_back({tuned.labels[j], threshold_text(tuned.thresholds[j])});
  return text + table(rows);
}

void save_rule(const TunedRule& tuned, const std::string& path, bool overwrite) {
  Json file{{"mmo_rule", file_version}, {"metric", tuned.metric}};
  file.update(rule_json(tuned));
  file["max_labels"] = tuned.rule.max_labels;
  file["labels"] = tuned.labels;
  file["logit_thresholds"] = Json::array();
  for (const float threshold : tuned.rule.thresholds)
    file["logit_thresholds"].push_back(threshold_json(threshold));
  if (tuned.rule.kind == DecisionRule::Kind::expected_count) {
    file["expected_counts"] = {{"numerator", weights_json(tuned.rule.ratio.numerator)},
                               {"denominator", weights_json(tuned.rule.ratio.denominator)}};
  }
  AtomicFile out(path, overwrite);
  out.write(file.dump(1) + "\n");
  out.commit();
}

bool is_rule_file(const std::string& path) {
  std::error_code unreadable;
  if (!std::filesystem::is_regular_file(path, unreadable)) return false;
  constexpr std::string_view start = "{\n \"mmo_rule\":";
  std::string found(start.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(found.data(), static_cast<std::streamsize>(found.size())) && found == start;
}

TunedRule load_rule(const std::string& path) {
  const FileContent content = FileContent::open(path);
  const auto refuse = [&](const std::string& why) {
    return ModelError(fmt::format("{}: not a usable rule: {}; make it again with mmo tune", path, why));
  };
  try {
    return parse_rule_file(parse_json(content.bytes()));
  } catch (const nlohmann::json::exception& error) {
    throw refuse(error.what());
  } catch (const Error& error) {
    throw refuse(error.what());
  }
}

void apply_rule(const Common& common, const TunedRule& tuned, const std::string& path, const std::string& out,
                const AppliedForm& form) {
  const ScoreFile fresh = read_scores(common, path, &tuned.labels);
  const DenseMatrix logits = tuned.map.apply(fresh.values);
  AtomicFile file(out, common.force);
  PredictionWriter writer(file, form.format, tuned.labels, form.scores);
  std::vector<std::uint32_t> labels;
  std::vector<float> probabilities(tuned.labels.size());
  for (std::size_t i = 0; i < logits.rows; ++i) {
    tuned.decide(fresh.values.row(i), logits.row(i), labels);
    std::transform(logits.row(i).begin(), logits.row(i).end(), probabilities.begin(),
                   [](float z) { return 1.0F / (1.0F + std::exp(-z)); });
    writer.write_row(labels, probabilities);
  }
  file.commit();
}

}  // namespace mmo::cli
