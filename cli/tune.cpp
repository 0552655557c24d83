// mmo tune: the decision rule that a metric wants, for the scores of any other system.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/command.h"
#include "cli/data_flags.h"
#include "cli/output.h"
#include "cli/predictions.h"
#include "cli/score_file.h"
#include "cli/terminal.h"
#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/rule/fit_rule.h"
#include "mmo/split/split.h"
#include "mmo/stack/calibration.h"

namespace mmo::cli {
namespace {

struct TuneFlags {
  std::string scores;
  DataFlags data;
  std::string metric;
  std::string zero_division = "0";
  std::string rule = "auto";
  int min_labels = -1;
  std::size_t folds = 5;
  std::string apply;
  std::string out;
  std::string as = "names";
};

// The user's scores s as calibrated logits z = scale·u + shift, u = s or, for probabilities, logit(s).
struct ScoreMap {
  bool probabilities = false;
  Calibration calibration;

  [[nodiscard]] DenseMatrix apply(DenseMatrix scores) const {
    constexpr float edge = 1e-6F;
    if (probabilities) {
      for (float& s : scores.values) {
        const float p = std::clamp(s, edge, 1 - edge);
        s = std::log(p / (1 - p));
      }
    }
    apply_calibration(calibration, scores);
    return scores;
  }
  // The score whose logit is z.
  [[nodiscard]] double inverse(double z) const {
    const double u = (z - calibration.shift) / calibration.scale;
    return probabilities ? 1 / (1 + std::exp(-u)) : u;
  }
};

ScoreMap fit_map(const ScoreFile& file, const LabelMatrix& labels) {
  ScoreMap map;
  map.probabilities = std::all_of(file.values.values.begin(), file.values.values.end(),
                                  [](float s) { return s >= 0 && s <= 1; });
  map.calibration = fit_calibration(map.apply(file.values), labels, nullptr, {});
  if (map.calibration.scale <= 0) {
    throw DataError(
        file.source, 0,
        "higher scores go with absent labels; are rows and columns those of the labels, and the sign right?");
  }
  return map;
}

FittedRule fit(const TuneFlags& flags, const Metric& metric, const DenseMatrix& logits,
               const LabelMatrix& labels) {
  RuleOptions options;
  options.kind = flags.rule == "auto" ? RuleKind::automatic : parse_rule(flags.rule);
  options.min_labels = flags.min_labels;
  Truth truth;
  truth.labels = &labels;
  return fit_rule(metric, logits, truth, options);
}

// The metric of rows whose rule was fitted without them.
double cross_fitted_value(const TuneFlags& flags, const Metric& metric, const DenseMatrix& logits,
                          const LabelMatrix& labels, std::uint64_t seed) {
  const auto fold_of_row = stratified_folds(labels, flags.folds, seed);
  std::vector<std::vector<std::uint32_t>> predicted_rows(labels.rows);
  for (std::uint32_t fold = 0; fold < flags.folds; ++fold) {
    const Split split = leave_fold_out(fold_of_row, fold);
    const FittedRule fitted =
        fit(flags, metric, take_rows(logits, split.train), take_rows(labels, split.train));
    for (const std::uint32_t i : split.test) decide_row(fitted.rule, logits.row(i), predicted_rows[i]);
  }
  LabelMatrix predicted;
  predicted.cols = labels.cols;
  for (const auto& row : predicted_rows) predicted.push_row(row);
  Truth truth;
  truth.labels = &labels;
  return evaluate(metric, predicted, truth);
}

double untuned_value(const Metric& metric, const ScoreFile& scores, const ScoreMap& map,
                     const LabelMatrix& labels) {
  DecisionRule rule;
  rule.thresholds.assign(labels.cols, map.probabilities ? 0.5F : 0.0F);
  Truth truth;
  truth.labels = &labels;
  return evaluate(metric, decide(rule, scores.values), truth);
}

std::string threshold_text(double threshold) {
  if (std::isinf(threshold)) return threshold > 0 ? "never" : "always";
  return fmt::format("{:.6g}", threshold);
}

std::vector<std::string> names_of(const ScoreFile& scores) {
  std::vector<std::string> names = scores.names;
  for (std::size_t j = names.size(); j < scores.values.cols; ++j) names.push_back(std::to_string(j));
  return names;
}

nlohmann::ordered_json rule_json(const FittedRule& fitted, const ScoreMap& map, const ScoreFile& scores) {
  nlohmann::ordered_json out;
  out["rule"] = rule_name(fitted.kind);
  out["min_labels"] = fitted.rule.min_labels;
  out["score_map"] = {{"input", map.probabilities ? "probabilities" : "scores"},
                      {"scale", map.calibration.scale},
                      {"shift", map.calibration.shift}};
  if (fitted.rule.kind == DecisionRule::Kind::thresholds) {
    const auto names = names_of(scores);
    for (std::size_t j = 0; j < names.size(); ++j) {
      const double threshold = fitted.rule.thresholds[j];
      nlohmann::ordered_json& entry = out["thresholds"][names[j]];
      if (std::isinf(threshold)) {
        entry = threshold_text(threshold);
      } else {
        entry = map.inverse(threshold);
      }
    }
  }
  return out;
}

std::string rule_text(const FittedRule& fitted, const ScoreMap& map, const ScoreFile& scores) {
  if (fitted.rule.kind == DecisionRule::Kind::expected_count) {
    return fmt::format(
        "rule: per row, the labels whose expected counts maximise the metric, p = "
        "1/(1+exp(-({:.4g}*{}{:+.4g})))\n",
        map.calibration.scale, map.probabilities ? "logit(score)" : "score", map.calibration.shift);
  }
  std::string text = fmt::format("rule: {}; a label is predicted where its score is at least its threshold\n",
                                 rule_name(fitted.kind));
  if (fitted.rule.min_labels > 0)
    text += fmt::format("rows with fewer than {} get their best labels\n", fitted.rule.min_labels);
  std::vector<std::vector<std::string>> rows{{"label", "threshold"}};
  const auto names = names_of(scores);
  for (std::size_t j = 0; j < names.size(); ++j) {
    const double threshold = fitted.rule.thresholds[j];
    rows.push_back({names[j], std::isinf(threshold) ? threshold_text(threshold)
                                                    : threshold_text(map.inverse(threshold))});
  }
  return text + table(rows);
}

void apply_rule(const Common& common, const TuneFlags& flags, const DecisionRule& rule, const ScoreMap& map,
                const ScoreFile& fitted_on) {
  const ScoreFile fresh = read_scores(common, flags.apply);
  if (fresh.values.cols != fitted_on.values.cols || fresh.names != fitted_on.names) {
    throw DataError(fresh.source, 0, fmt::format("its columns are not those of {}", fitted_on.source));
  }
  const DenseMatrix logits = map.apply(fresh.values);
  AtomicFile out(flags.out, common.force);
  PredictionWriter writer(out, parse_prediction_format(flags.as), names_of(fitted_on), false);
  std::vector<std::uint32_t> labels;
  for (std::size_t i = 0; i < logits.rows; ++i) {
    labels.clear();
    decide_row(rule, logits.row(i), labels);
    writer.write_row(labels, {});
  }
  out.commit();
}

void run_tune(const Common& common, const TuneFlags& flags) {
  if (flags.apply.empty() != flags.out.empty())
    throw UsageError("--apply and --out go together: new scores, and where to write their labels");
  if (!flags.out.empty()) require_writable(flags.out, common.force);
  const Metric metric = parse_metric(flags.metric, parse_zero_division(flags.zero_division));
  const ScoreFile scores = read_scores(common, flags.scores);
  const LabelMatrix labels = read_true_labels(common, flags.data, scores);
  const ScoreMap map = fit_map(scores, labels);
  const DenseMatrix logits = map.apply(scores.values);
  const FittedRule fitted = fit(flags, metric, logits, labels);
  const double expected = cross_fitted_value(flags, metric, logits, labels, common.seed);
  const double untuned = untuned_value(metric, scores, map, labels);
  if (!flags.apply.empty()) apply_rule(common, flags, fitted.rule, map, scores);
  if (common.json) {
    nlohmann::ordered_json out{
        {"metric", metric.name}, {"untuned", untuned}, {"cross_fitted", expected}, {"fitted", fitted.value}};
    out.update(rule_json(fitted, map, scores));
    print_json(out);
    return;
  }
  print(fmt::format("{}: {:.4f} at threshold {}, {:.4f} tuned (rows judged by a rule fitted without them)\n",
                    metric.name, untuned, map.probabilities ? "0.5" : "0", expected) +
        rule_text(fitted, map, scores));
}

}  // namespace

void add_tune(CLI::App& app, Session& session) {
  auto* command = add_command(
      app, session, "tune", "A metric's decision rule for the scores of any other system",
      "Examples:\n"
      "  mmo tune scores.npy labels.npy --metric macro-f1\n"
      "  mmo tune valid-scores.csv valid.arff --metric micro-f1 --apply new-scores.csv --out labels.txt");
  auto flags = std::make_shared<TuneFlags>();
  command
      ->add_option("SCORES,--scores-file", flags->scores,
                   "scores or probabilities, rows × labels: .npy, .npz or CSV")
      ->required();
  command
      ->add_option("LABELS,--labels-file", flags->data.data,
                   "true labels: a 0/1 matrix alike, or any data file")
      ->required();
  command->add_option("--metric", flags->metric, "what to maximise")->type_name("M")->required();
  command->add_option("--rule", flags->rule, "auto (default), global, per-label, curves, blend or expected")
      ->type_name("R");
  command
      ->add_option("--min-labels", flags->min_labels,
                   "rows get at least so many labels (default: tried 0 and 1)")
      ->type_name("N");
  command->add_option("--folds", flags->folds, "folds of the honest value (5)")->type_name("N");
  command->add_option("--apply", flags->apply, "new scores to label with the rule")->type_name("FILE");
  command->add_option("--out", flags->out, "where to write their labels")->type_name("FILE");
  command->add_option("--as", flags->as, "names (default), indicator, jsonl or svmlight")->type_name("FORM");
  add_data_flags(*command, flags->data, ReadingHelp::short_list);
  add_zero_division(*command, flags->zero_division);
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_tune(session.common, *flags); }; });
}

}  // namespace mmo::cli
