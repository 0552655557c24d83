#include "mmo/report/run_report.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mmo/core/version.h"
#include "mmo/report/cross_tuned.h"
#include "mmo/report/data_section.h"
#include "mmo/report/label_curves.h"
#include "mmo/report/label_section.h"
#include "mmo/report/report_json.h"
#include "mmo/report/row_errors.h"
#include "mmo/report/search_record.h"
#include "mmo/rule/empirical_thresholds.h"

namespace mmo {
namespace {

using nlohmann::ordered_json;

constexpr std::uint32_t own_folds = 5;
constexpr std::size_t least_rows_to_tune = 20;
constexpr std::size_t global_points = 64;
constexpr std::size_t most_labels_per_row = 40;
constexpr std::size_t pairs_listed = 300;
constexpr std::size_t rows_listed = 30;

ordered_json weights_json(const CountWeights& w) {
  return {report_number(w.tp), report_number(w.fp), report_number(w.fn), report_number(w.tn)};
}

ordered_json interval_json(const Interval& interval) {
  return {rounded_number(interval.low, 6), rounded_number(interval.high, 6)};
}

// Decisions an ordinary user would have made from the same scores, judged like the model's own.
struct Baseline {
  std::string name, meaning;
  LabelMatrix predicted;
};

// A baseline's value, and the interval of ours minus its value on the same resamples.
ordered_json baseline_json(const ReportInput& input, const Baseline& baseline,
                           const std::vector<double>& ours) {
  ordered_json out{{"name", baseline.name},
                   {"meaning", baseline.meaning},
                   {"value", report_number(evaluate(input.metric, baseline.predicted, input.truth))}};
  if (ours.empty()) return out;
  std::vector<double> differences =
      bootstrap_values(input.metric, baseline.predicted, input.truth, input.replicates, input.seed);
  for (std::size_t r = 0; r < differences.size(); ++r) differences[r] = ours[r] - differences[r];
  out["ahead"] = interval_json(percentile_interval(std::move(differences)));
  return out;
}

LabelMatrix untuned_decisions(const DenseMatrix& scores) {
  DecisionRule rule;
  rule.thresholds.assign(scores.cols, 0.0F);
  return decide(rule, scores);
}

ordered_json headline(const ReportInput& input, const std::vector<Baseline>& baselines) {
  ordered_json out{{"value", report_number(evaluate(input.metric, *input.predicted, input.truth))}};
  std::vector<double> ours;
  if (input.replicates > 0 && input.predicted->rows > 0) {
    ours = bootstrap_values(input.metric, *input.predicted, input.truth, input.replicates, input.seed);
    out["interval"] = interval_json(percentile_interval(ours));
    out["replicates"] = ordered_json::array();
    for (const double value : ours) out["replicates"].push_back(rounded_number(value, 6));
  }
  out["baselines"] = ordered_json::array();
  for (const Baseline& baseline : baselines) out["baselines"].push_back(baseline_json(input, baseline, ours));
  return out;
}

ordered_json metrics_section(const ReportInput& input) {
  ordered_json out = ordered_json::array();
  for (const NamedValue& m : standard_metrics(*input.predicted, input.truth, input.metric.zero_division))
    out.push_back({{"name", m.name}, {"value", report_number(m.value)}, {"undefined", m.undefined}});
  return out;
}

// Counted from 1, as in the user's file.
std::size_t row_number(const ReportInput& input, std::size_t row) {
  return 1 + (input.row_numbers.empty() ? row : input.row_numbers[row]);
}

ordered_json rows_section(const ReportInput& input) {
  const LabelsPerRow per_row = labels_per_row(*input.predicted, input.truth, most_labels_per_row);
  const Confusions confused = confusions(*input.predicted, input.truth, pairs_listed);
  const std::vector<RowErrors> worst =
      worst_rows(*input.predicted, input.truth, std::max(rows_listed, input.examples));
  ordered_json out{{"count", input.predicted->rows},        {"labels_true", per_row.truth},
                   {"labels_predicted", per_row.predicted}, {"labels_most", most_labels_per_row},
                   {"confusions", ordered_json::array()},   {"confusions_skipped", confused.skipped},
                   {"worst", ordered_json::array()}};
  for (const Confusion& c : confused.pairs) out["confusions"].push_back({c.missed, c.given, c.rows});
  for (const RowErrors& e : worst)
    out["worst"].push_back({row_number(input, e.row), e.right, e.missed, e.wrong});
  if (input.examples > 0) {
    out["examples"] = example_rows(*input.data, *input.predicted,
                                   std::span(worst).first(std::min(input.examples, worst.size())));
    for (ordered_json& example : out["examples"])
      example["row"] = row_number(input, example["row"].get<std::size_t>());
  }
  return out;
}

// The given folds if there are several, else every fifth row.
std::vector<std::uint32_t> tuning_folds(const ReportInput& input) {
  const auto given = input.fold_of_row;
  if (std::any_of(given.begin(), given.end(), [&](std::uint32_t fold) { return fold != given[0]; }))
    return {given.begin(), given.end()};
  std::vector<std::uint32_t> folds(input.predicted->rows);
  for (std::size_t i = 0; i < folds.size(); ++i) folds[i] = static_cast<std::uint32_t>(i) % own_folds;
  return folds;
}

ordered_json one_threshold_curve(const ReportInput& input) {
  const std::vector<float> thresholds = threshold_candidates(*input.scores, input.truth, global_points);
  const std::vector<double> values =
      metric_at_thresholds(input.metric, *input.scores, input.truth, thresholds);
  ordered_json out = ordered_json::array();
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isfinite(thresholds[k]))  // the last one is "never"
      out.push_back({rounded_number(thresholds[k], 5), rounded_number(values[k], 5)});
  }
  return out;
}

std::vector<std::string> warnings_of(const ReportInput& input, const std::vector<Counts>& counts) {
  std::vector<std::string> out = input.warnings;
  if (input.model != nullptr && input.model->history.is_object()) {
    for (const auto& warning : input.model->history.value("warnings", nlohmann::json::array()))
      if (warning.is_string()) out.push_back(warning.get<std::string>());
  }
  const auto count = [&](const auto& which) { return std::count_if(counts.begin(), counts.end(), which); };
  if (const auto absent = count([](const Counts& c) { return c.tp + c.fn == 0; }); absent > 0)
    out.push_back(fmt::format("{} of {} labels have no positive row here: their recall is not measured",
                              absent, counts.size()));
  if (const auto never = count([](const Counts& c) { return c.tp + c.fp == 0 && c.fn > 0; }); never > 0)
    out.push_back(fmt::format("{} labels are never predicted although rows have them", never));
  return out;
}

// What the page won't be able to show, and why.
std::vector<std::string> missing_of(const ReportInput& input, bool tuned) {
  std::vector<std::string> out;
  if (input.scores == nullptr)
    out.emplace_back(
        "Scores were not recorded (only predictions were given): no curves, thresholds or baselines.");
  else if (!tuned)
    out.push_back(fmt::format("Fewer than {} rows: tuned-threshold baselines and their spread are left out.",
                              least_rows_to_tune));
  if (input.model == nullptr) out.emplace_back("No model was given: no record of a search and no features.");
  return out;
}

}  // namespace

ordered_json report_head(const std::string& source, const std::string& command) {
  return {{"format", "mmo-report"},
          {"schema", report_schema},
          {"version", version()},
          {"source", source},
          {"command", command}};
}

ordered_json report_metric(const Metric& metric) {
  ordered_json ratios = ordered_json::array();
  for (const CountRatio& ratio : metric.ratios)
    ratios.push_back({weights_json(ratio.numerator), weights_json(ratio.denominator)});
  return {{"name", metric.name},
          {"average", average_name(metric.average)},
          {"formula", metric.ratios.size() == 1 ? formula(metric.ratios[0]) : "one ratio per label"},
          {"zero_division", report_number(metric.zero_division)},
          {"ratios", ratios}};
}

ordered_json run_report(const ReportInput& input) {
  LabelColumns columns;
  columns.counts = count_labels(*input.predicted, input.truth);
  std::vector<Baseline> baselines;
  const bool tuned = input.scores != nullptr && input.predicted->rows >= least_rows_to_tune;
  if (input.scores != nullptr) {
    const bool by_threshold = input.model != nullptr && !input.model->rule.thresholds.empty() &&
                              input.model->rule.kind == DecisionRule::Kind::thresholds;
    columns.curves = label_curves(
        *input.scores, input.truth, curve_points(input.scores->cols),
        by_threshold ? std::span<const float>(input.model->rule.thresholds) : std::span<const float>());
    baselines.push_back({"probability ≥ 0.5", "the same scores, nothing tuned: what logistic regression does",
                         untuned_decisions(*input.scores)});
    columns.untuned = count_labels(baselines[0].predicted, input.truth);
  }
  if (tuned) {
    CrossTuned cross = cross_tuned(input.metric, *input.scores, input.truth, tuning_folds(input));
    const std::string how = "tuned on the other rows: each fold is left out in turn";
    baselines.push_back({"one tuned threshold", "for all labels, " + how, std::move(cross.global)});
    baselines.push_back({"a tuned threshold per label", how, std::move(cross.per_label)});
    columns.spread = std::move(cross.spread);
  }
  ordered_json report = report_head(input.data->source, input.command);
  if (!input.name.empty()) report["name"] = input.name;
  report["rows_are"] = input.rows_are;
  report["seed"] = input.seed;
  report["weighted"] = !input.truth.row_weights.empty();
  report["metric"] = report_metric(input.metric);
  report["headline"] = headline(input, baselines);
  report["metrics"] = metrics_section(input);
  report["labels"] = label_section(input, columns);
  report["rows"] = rows_section(input);
  if (input.scores != nullptr) report["one_threshold"] = one_threshold_curve(input);
  if (input.model != nullptr) report["search"] = search_record(input.model->history);
  report["data"] = data_section(*input.data);
  report["warnings"] = warnings_of(input, columns.counts);
  report["missing"] = missing_of(input, tuned);
  return report;
}

}  // namespace mmo
