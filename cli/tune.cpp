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
#include "cli/tuned_rule.h"
#include "cli/whole_number.h"
#include "mmo/calibrate/score_map.h"
#include "mmo/core/atomic_file.h"
#include "mmo/core/error.h"
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
  std::size_t at_most = 0;
  std::size_t folds = 5;
  std::string apply;
  std::string out;
  std::string as = "names";
};

FittedRule fit(const TuneFlags& flags, const Metric& metric, const DenseMatrix& logits, const Truth& truth) {
  RuleOptions options;
  options.kind = flags.rule == "auto" ? RuleKind::automatic : parse_rule(flags.rule);
  options.min_labels = flags.min_labels;
  options.max_labels = flags.at_most;
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

std::vector<std::string> names_of(const ScoreFile& scores) {
  std::vector<std::string> names = scores.names;
  for (std::size_t j = names.size(); j < scores.values.cols; ++j) names.push_back(std::to_string(j));
  return names;
}

TunedRule tuned_rule(const Metric& metric, const ScoreFile& scores, const ScoreMap& map,
                     const FittedRule& fitted) {
  TunedRule tuned{fitted.rule, fitted.kind, map, {}, names_of(scores), metric.name};
  if (fitted.rule.kind == DecisionRule::Kind::thresholds)
    tuned.thresholds = input_thresholds(fitted.rule.thresholds, map, scores.values);
  return tuned;
}

void run_tune(const Common& common, const TuneFlags& flags) {
  if (!flags.apply.empty() && flags.out.empty())
    throw UsageError(
        "--apply NEW needs --out FILE, where to write the labels; or keep the rule: --out RULE.json, "
        "then mmo predict RULE.json NEW");
  if (!flags.out.empty()) require_writable(flags.out, common.force);
  const Metric metric = parse_metric(flags.metric, parse_zero_division(flags.zero_division));
  ScoreFile scores = read_scores(common, flags.scores);
  const TrueLabels labels = read_true_labels(common, flags.data, scores);
  const Truth truth = labels.truth();
  const ScoreMap map =
      fit_score_map(scores.values, *truth.labels, truth.unknown, truth.row_weights, scores.source);
  const DenseMatrix logits = map.apply(scores.values);
  const FittedRule fitted = fit(flags, metric, logits, labels.truth());
  const TunedRule tuned = tuned_rule(metric, scores, map, fitted);
  const double expected = cross_fitted_value(flags, metric, logits, labels, common.seed);
  const double untuned = untuned_value(metric, scores, map, labels.truth());
  if (!flags.apply.empty()) {
    apply_rule(common, tuned, flags.apply, flags.out, {parse_prediction_format(flags.as)});
  } else if (!flags.out.empty()) {
    save_rule(tuned, flags.out, common.force);
  }
  if (common.json) {
    nlohmann::ordered_json out{
        {"metric", metric.name}, {"untuned", untuned}, {"cross_fitted", expected}, {"fitted", fitted.value}};
    out.update(rule_json(tuned));
    print_json(out);
    return;
  }
  print(fmt::format("{}: {:.4f} at threshold {}, {:.4f} tuned (rows judged by a rule fitted without them)\n",
                    metric.name, untuned, map.probabilities ? "0.5" : "0", expected) +
        rule_text(tuned));
}

}  // namespace

void add_tune(CLI::App& app, Session& session) {
  auto* command = add_command(
      app, session, "tune", "A metric's decision rule for the scores of any other system",
      "Examples:\n"
      "  mmo tune scores.npy labels.npy --metric macro-f1 --out rule.json\n"
      "  mmo predict rule.json new-scores.npy\n"
      "  mmo tune valid-scores.csv valid.arff --metric micro-f1 --apply new-scores.csv --out labels.txt");
  auto flags = std::make_shared<TuneFlags>();
  command
      ->add_option("SCORES,--scores-file", flags->scores,
                   "scores: .npy, .npz, CSV, or as fastText, napkinXC, LIBLINEAR print them")
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
  command->add_option("--at-most", flags->at_most, "no row gets more than K labels")
      ->type_name("K")
      ->transform(whole_number(1));
  command->add_option("--folds", flags->folds, "folds of the honest value (5)")
      ->type_name("N")
      ->transform(whole_number(2, 1000));
  command->add_option("--apply", flags->apply, "new scores to label with the rule")->type_name("FILE");
  command->add_option("--out", flags->out, "where to write the rule, or with --apply those labels")
      ->type_name("FILE");
  command->add_option("--as", flags->as, "names (default), indicator, jsonl or svmlight")->type_name("FORM");
  add_data_flags(*command, flags->data, ReadingHelp::short_list);
  add_zero_division(*command, flags->zero_division);
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_tune(session.common, *flags); }; });
}

}  // namespace mmo::cli
