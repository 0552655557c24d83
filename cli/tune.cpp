// mmo tune: the decision rule that a metric wants, for the scores of any other system.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/command.h"
#include "cli/data_flags.h"
#include "cli/predictions.h"
#include "cli/score_file.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"
#include "mmo/calibrate/score_map.h"
#include "mmo/core/atomic_file.h"
#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/rule/fit_rule.h"
#include "mmo/split/split.h"

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

FittedRule fit(const TuneFlags& flags, const Metric& metric, const DenseMatrix& logits, const Truth& truth) {
  RuleOptions options;
  options.kind = flags.rule == "auto" ? RuleKind::automatic : parse_rule(flags.rule);
  options.min_labels = flags.min_labels;
  return fit_rule(metric, logits, truth, options);
}

// The metric of rows whose rule was fitted without them.
double cross_fitted_value(const TuneFlags& flags, const Metric& metric, const DenseMatrix& logits,
                          const TrueLabels& labels, std::uint64_t seed) {
  const auto fold_of_row = stratified_folds(labels.y, flags.folds, seed);
  std::vector<std::vector<std::uint32_t>> predicted_rows(labels.y.rows);
  for (std::uint32_t fold = 0; fold < flags.folds; ++fold) {
    const Split split = leave_fold_out(fold_of_row, fold);
    const TrueLabels seen = take_rows(labels, split.train);
    const FittedRule fitted = fit(flags, metric, take_rows(logits, split.train), seen.truth());
    for (const std::uint32_t i : split.test) decide_row(fitted.rule, logits.row(i), predicted_rows[i]);
  }
  LabelMatrix predicted;
  predicted.cols = labels.y.cols;
  for (const auto& row : predicted_rows) predicted.push_row(row);
  return evaluate(metric, predicted, labels.truth());
}

double untuned_value(const Metric& metric, const ScoreFile& scores, const ScoreMap& map, const Truth& truth) {
  DecisionRule rule;
  rule.thresholds.assign(scores.values.cols, map.probabilities ? 0.5F : 0.0F);
  return evaluate(metric, decide(rule, scores.values), truth);
}

// What is shown and applied: a fitted rule whose thresholds are in the scale of the scores.
struct TunedRule {
  FittedRule fitted;  // of logits
  ScoreMap map;
  std::vector<double> thresholds;  // empty unless the rule is one of thresholds
};

std::string threshold_text(double threshold) {
  if (std::isinf(threshold)) return threshold > 0 ? "never" : "always";
  return fmt::format("{}", threshold);
}

std::vector<std::string> names_of(const ScoreFile& scores) {
  std::vector<std::string> names = scores.names;
  for (std::size_t j = names.size(); j < scores.values.cols; ++j) names.push_back(std::to_string(j));
  return names;
}

nlohmann::ordered_json rule_json(const TunedRule& tuned, const ScoreFile& scores) {
  nlohmann::ordered_json out;
  out["rule"] = rule_name(tuned.fitted.kind);
  out["min_labels"] = tuned.fitted.rule.min_labels;
  out["score_map"] = {{"input", tuned.map.probabilities ? "probabilities" : "scores"},
                      {"scale", tuned.map.calibration.scale},
                      {"shift", tuned.map.calibration.shift}};
  if (!tuned.thresholds.empty()) {
    const auto names = names_of(scores);
    for (std::size_t j = 0; j < names.size(); ++j) {
      nlohmann::ordered_json& entry = out["thresholds"][names[j]];
      if (std::isinf(tuned.thresholds[j])) {
        entry = threshold_text(tuned.thresholds[j]);
      } else {
        entry = tuned.thresholds[j];
      }
    }
  }
  return out;
}

std::string rule_text(const TunedRule& tuned, const ScoreFile& scores) {
  if (tuned.fitted.rule.kind == DecisionRule::Kind::expected_count) {
    return fmt::format(
        "rule: per row, the labels whose expected counts maximise the metric, p = "
        "1/(1+exp(-({:.4g}*{}{:+.4g})))\n",
        tuned.map.calibration.scale, tuned.map.probabilities ? "logit(score)" : "score",
        tuned.map.calibration.shift);
  }
  std::string text = fmt::format("rule: {}; a label is predicted where its score is at least its threshold\n",
                                 rule_name(tuned.fitted.kind));
  if (tuned.fitted.rule.min_labels > 0)
    text += fmt::format("rows with fewer than {} get their best labels\n", tuned.fitted.rule.min_labels);
  std::vector<std::vector<std::string>> rows{{"label", "threshold"}};
  const auto names = names_of(scores);
  for (std::size_t j = 0; j < names.size(); ++j)
    rows.push_back({names[j], threshold_text(tuned.thresholds[j])});
  return text + table(rows);
}

// The thresholds decide as they are shown; filling a row up to min_labels compares logits.
void decide_scores(const TunedRule& tuned, std::span<const float> scores, std::span<const float> logits,
                   std::vector<std::uint32_t>& out) {
  out.clear();
  for (std::uint32_t j = 0; j < tuned.thresholds.size(); ++j) {
    if (scores[j] >= tuned.thresholds[j]) out.push_back(j);
  }
  if (tuned.thresholds.empty() || out.size() < tuned.fitted.rule.min_labels)
    decide_row(tuned.fitted.rule, logits, out);
}

void apply_rule(const Common& common, const TuneFlags& flags, const TunedRule& tuned,
                const ScoreFile& fitted_on) {
  const ScoreFile fresh = read_scores(common, flags.apply);
  if (fresh.values.cols != fitted_on.values.cols || fresh.names != fitted_on.names) {
    throw DataError(fresh.source, 0, fmt::format("its columns are not those of {}", fitted_on.source));
  }
  const DenseMatrix logits = tuned.map.apply(fresh.values);
  AtomicFile out(flags.out, common.force);
  PredictionWriter writer(out, parse_prediction_format(flags.as), names_of(fitted_on), false);
  std::vector<std::uint32_t> labels;
  for (std::size_t i = 0; i < logits.rows; ++i) {
    decide_scores(tuned, fresh.values.row(i), logits.row(i), labels);
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
  const TrueLabels labels = read_true_labels(common, flags.data, scores);
  const Truth truth = labels.truth();
  TunedRule tuned{
      {}, fit_score_map(scores.values, *truth.labels, truth.unknown, truth.row_weights, scores.source), {}};
  const ScoreMap& map = tuned.map;
  const DenseMatrix logits = map.apply(scores.values);
  tuned.fitted = fit(flags, metric, logits, labels.truth());
  if (tuned.fitted.rule.kind == DecisionRule::Kind::thresholds)
    tuned.thresholds = input_thresholds(tuned.fitted.rule.thresholds, map, scores.values);
  const double expected = cross_fitted_value(flags, metric, logits, labels, common.seed);
  const double untuned = untuned_value(metric, scores, map, labels.truth());
  if (!flags.apply.empty()) apply_rule(common, flags, tuned, scores);
  if (common.json) {
    nlohmann::ordered_json out{{"metric", metric.name},
                               {"untuned", untuned},
                               {"cross_fitted", expected},
                               {"fitted", tuned.fitted.value}};
    out.update(rule_json(tuned, scores));
    print_json(out);
    return;
  }
  print(fmt::format("{}: {:.4f} at threshold {}, {:.4f} tuned (rows judged by a rule fitted without them)\n",
                    metric.name, untuned, map.probabilities ? "0.5" : "0", expected) +
        rule_text(tuned, scores));
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
      ->type_name("N")
      ->transform(whole_number(0, 1000000));
  command->add_option("--folds", flags->folds, "folds of the honest value (5)")
      ->type_name("N")
      ->transform(whole_number(2, 1000));
  command->add_option("--apply", flags->apply, "new scores to label with the rule")->type_name("FILE");
  command->add_option("--out", flags->out, "where to write their labels")->type_name("FILE");
  command->add_option("--as", flags->as, "names (default), indicator, jsonl or svmlight")->type_name("FORM");
  add_data_flags(*command, flags->data, ReadingHelp::short_list);
  add_zero_division(*command, flags->zero_division);
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_tune(session.common, *flags); }; });
}

}  // namespace mmo::cli
