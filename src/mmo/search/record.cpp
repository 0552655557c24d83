#include "mmo/search/record.h"

#include <cmath>

#include "mmo/core/version.h"
#include "mmo/eval/truth_rows.h"

namespace mmo {

using nlohmann::json;

void record_map(json& history, const ChosenMap& map) {
  json candidates = json::array();
  for (const MapCandidate& c : map.candidates)
    candidates.push_back({{"map", kind_name(c.kind)}, {"log_loss", c.log_loss}});
  history["feature_map"] = {{"chosen", kind_name(map.mapped.map.kind)}, {"candidates", candidates}};
}

void record_loss(json& history, const std::string& name, const ChosenLoss& loss) {
  json path = json::array();
  for (const PathPoint& p : loss.path) {
    path.push_back({{"rho", p.rho},
                    {"l2", p.ridge},
                    {"value", p.value},
                    {"log_loss", p.log_loss},
                    {"iterations", p.summary.columns > 0 ? static_cast<double>(p.summary.iterations) /
                                                               static_cast<double>(p.summary.columns)
                                                         : 0.0},
                    {"columns", p.summary.columns},
                    {"unfinished", p.summary.unfinished}});
  }
  const PathPoint& best = loss.path[loss.best];
  history["losses"].push_back(
      {{"loss", name},
       {"rho", best.rho},
       {"l2", best.ridge},
       {"value", best.value},
       {"calibration", {{"scale", loss.calibration.scale}, {"shift", loss.calibration.shift}}},
       {"path", path}});
}

void record_lambda(json& history, const LambdaResult& lambda) {
  json steps = json::array();
  for (const LambdaStep& step : lambda.steps) {
    json values = json::array();
    for (const LambdaValue& v : step.values) values.push_back(v.metric);
    steps.push_back({{"lambda", step.lambda}, {"metric", values}});
  }
  history["lambda"] = {{"chosen", lambda.lambda}, {"steps", steps}};
  if (lambda.step > 0) history["lambda"]["step"] = lambda.step;
}

void record_minibatch(json& history, const MiniBatchFit& fit) {
  json path = json::array();
  for (const StepPoint& p : fit.path) path.push_back({{"steps", p.steps}, {"value", p.value}});
  history["adam"] = {{"steps", fit.path[fit.best].steps}, {"path", path}};
  if (!fit.lambda.empty()) history["lambda"] = {{"chosen", fit.lambda}, {"steps", json::array()}};
}

void record_constraint(json& history, const Constraint& constraint, const ConstrainedRule& rule) {
  history["rule"] = {{"chosen", rule.per_label ? "constrained, per label" : "constrained, global"},
                     {"min_labels", rule.rule.min_labels},
                     {"value", rule.value}};
  history["subject_to"] = {
      {"constraint", constraint.text}, {"value", rule.constraint}, {"margin", rule.margin}};
}

void record_mix(json& history, const FittedMix& mix) {
  history["label_mix"] = {{"log_loss_before", mix.log_loss_before},
                          {"log_loss_after", mix.log_loss_after},
                          {"scale", mix.mix.scale}};
}

void record_rule(json& history, const FittedRule& rule) {
  history["rule"] = {
      {"chosen", rule_name(rule.kind)}, {"min_labels", rule.rule.min_labels}, {"value", rule.value}};
}

void record_value(json& history, const Metric& metric, const LabelMatrix& predicted, const Truth& truth,
                  const HeldOutRows& held_out, std::size_t folds) {
  json& out = history["out_of_fold"];
  out["metric"] = metric.name;
  out["value"] = evaluate(metric, predicted, truth);
  out["rows"] = predicted.rows;
  if (folds == 1) {
    out["on"] = "validation file";
    return;
  }
  out["on"] = "training rows, out of fold";
  std::vector<double> values;
  for (std::size_t f = 0; f < folds; ++f) {
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < predicted.rows; ++i) {
      if (held_out.fold_of_row()[i] == f) rows.push_back(static_cast<std::uint32_t>(i));
    }
    const TruthRows part(truth, rows);
    values.push_back(evaluate(metric, take_rows(predicted, rows), part.truth()));
  }
  double mean = 0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  double square = 0;
  for (const double v : values) square += (v - mean) * (v - mean);
  out["folds"] = values;
  out["spread"] = values.size() > 1 ? std::sqrt(square / static_cast<double>(values.size() - 1)) : 0.0;
}

void record_run(json& history, const TrainOptions& options, const Recipe& recipe, const Training& training) {
  static constexpr const char* efforts[] = {"quick", "standard", "thorough"};
  history["version"] = version();
  history["method"] = recipe.name;
  history["metric"] = options.metric.name;
  history["effort"] = efforts[static_cast<int>(options.effort)];
  history["seed"] = options.seed;
  history["settings"] = options.settings;
  history["folds"] = training.problem.folds;
  history["rows"] = training.training_rows;
  history["features"] = feature_cols(training.encoded);
  history["labels"] = training.problem.label_count();
  history["trained_labels"] = training.problem.trainable.size();
  history["warnings"] = training.warnings;
}

}  // namespace mmo
