#include "mmo/search/record.h"

#include <cmath>

#include "mmo/core/version.h"
#include "mmo/eval/truth_rows.h"

namespace mmo {

using nlohmann::json;

void record_constraint(json& history, const Constraint& constraint, const ConstrainedRule& rule) {
  history["rule"] = {{"chosen", rule.per_label ? "constrained, per label" : "constrained, global"},
                     {"min_labels", rule.rule.min_labels},
                     {"value", rule.value}};
  history["subject_to"] = {{"constraint", constraint.text},
                           {"value", rule.constraint},
                           {"margin", rule.margin},
                           {"without", rule.unbound}};
  if (!rule.held_out) return;
  const ConstrainedRule::HeldOut& unseen = *rule.held_out;
  history["subject_to"]["held_out"] = {{"value", unseen.constraint},
                                       {"interval", {unseen.interval.low, unseen.interval.high}},
                                       {"objective", unseen.objective}};
}

void record_mix(json& history, const FittedMix& mix) {
  history["label_mix"] = {{"log_loss_before", mix.log_loss_before},
                          {"log_loss_after", mix.log_loss_after},
                          {"scale", mix.mix.scale}};
}

void record_rule(json& history, const FittedRule& rule) {
  history["rule"] = {
      {"chosen", rule_name(rule.kind)}, {"min_labels", rule.rule.min_labels}, {"value", rule.value}};
  if (rule.rule.max_labels > 0) history["rule"]["max_labels"] = rule.rule.max_labels;
}

void record_value(json& history, const Metric& metric, const LabelMatrix& predicted,
                  const HeldOutRows& held_out) {
  const Truth truth = held_out.truth();
  const HoldOut& hold_out = held_out.hold_out();
  json& out = history["out_of_fold"];
  out["metric"] = metric.name;
  out["value"] = evaluate(metric, predicted, truth);
  out["rows"] = predicted.rows;
  if (hold_out.is_validation()) {
    out["on"] = "validation file";
    return;
  }
  out["on"] = "training rows, out of fold";
  std::vector<double> values;
  for (std::size_t f = 0; f < hold_out.folds(); ++f) {
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
  history["folds"] = training.problem.hold_out.folds();
  history["rows"] = training.training_rows;
  history["features"] = feature_cols(training.encoded);
  if (!training.columns.empty()) history["columns"] = training.columns;
  history["labels"] = training.problem.label_count();
  history["trained_labels"] = training.problem.trainable.size();
  history["warnings"] = training.warnings;
}

}  // namespace mmo
