// mmo evaluate: metric values of a model's predictions, or of any predictions, on labelled data.
#include "mmo/eval/evaluate.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "cli/command.h"
#include "cli/data_flags.h"
#include "cli/evaluation.h"
#include "cli/model_card.h"
#include "cli/plot.h"
#include "cli/predictions.h"
#include "cli/ranking_table.h"
#include "cli/report_file.h"
#include "cli/score_file.h"
#include "cli/terminal.h"
#include "cli/weights.h"
#include "cli/whole_number.h"
#include "mmo/core/error.h"
#include "mmo/data/unseen_labels.h"
#include "mmo/eval/truth_rows.h"
#include "mmo/report/model_report.h"
#include "mmo/rule/empirical_thresholds.h"

namespace mmo::cli {
namespace {

struct EvaluateFlags {
  std::string model;
  DataFlags data;
  std::string predictions;
  std::string as;
  std::string metrics;
  std::string label_weights;
  std::string class_weights;
  std::string zero_division;  // "" = the model's, else 0
  bool known_labels_only = false;
  int bootstrap = 0;
  std::string report;
  std::size_t examples = 0;
  bool plot = false;
  RankingFlags ranking;
};

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Names don't tell: class weights and the value of 0/0 make another metric of the same name.
bool same_metric(const Metric& a, const Metric& b) {
  return a.average == b.average && a.ratios == b.ratios && same_number(a.zero_division, b.zero_division);
}

std::string zero_division_text(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{:g}", value);
}

// At commas outside of parentheses: custom ratios may hold commas only there.
std::vector<std::string> split_metrics(const std::string& text) {
  std::vector<std::string> names(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return names;
}

// The model's own metric where it has one ratio per label and the data have labels that it does not know:
// these have no ratio, so it is a metric of the model's labels alone.
double value_of_known_labels(const Metric& metric, const LabelMatrix& predicted, const Truth& truth) {
  std::vector<std::uint32_t> rows(predicted.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  std::vector<std::uint32_t> labels(metric.ratios.size());
  std::iota(labels.begin(), labels.end(), 0U);
  return evaluate(metric, take_columns(predicted, labels), TruthRows(truth, rows, labels).truth());
}

// `target` is the model's own metric; null without a model.
std::vector<MetricLine> metric_values(const EvaluateFlags& flags, const Metric* target, double zero_division,
                                      const LabelMatrix& predicted, const Truth& truth, const Dataset& data,
                                      std::uint64_t seed) {
  std::vector<MetricLine> values;
  const auto finish = [&](const Metric& metric) {
    values.back().is_target = target != nullptr && same_metric(metric, *target);
    if (flags.bootstrap > 0)
      values.back().interval = bootstrap(metric, predicted, truth, flags.bootstrap, seed);
  };
  const auto add = [&](const std::string& name, const Metric& metric) {
    values.push_back({name, evaluate(metric, predicted, truth), 0, {}, false});
    finish(metric);
  };
  if (!flags.metrics.empty()) {
    for (const std::string& name : split_metrics(flags.metrics)) {
      if (name == "subset-accuracy") {
        values.push_back({name, subset_accuracy(predicted, truth), 0, {}, false});
      } else {
        Metric metric = parse_metric(name, zero_division);
        metric.name = name;
        metric = weight_classes(metric, flags.class_weights, data);
        add(metric.name, metric);
      }
    }
    return values;
  }
  if (!flags.class_weights.empty())
    throw UsageError("--class-weights changes the metrics: name them with --metric");
  for (const NamedValue& known : standard_metrics(predicted, truth, zero_division)) {
    values.push_back({known.name, known.value, known.undefined, {}, false});
    if (known.name != "subset-accuracy") finish(parse_metric(known.name, zero_division));
  }
  if (target == nullptr) return values;
  if (target->ratios.size() > 1 && target->ratios.size() < data.labels()) {
    values.push_back({fmt::format("{}, over the model's {} labels", target->name, target->ratios.size()),
                      value_of_known_labels(*target, predicted, truth),
                      0,
                      {},
                      true});
    std::rotate(values.begin(), values.end() - 1, values.end());
  } else if (std::none_of(values.begin(), values.end(), [](const MetricLine& v) { return v.is_target; })) {
    const bool other_zero_division = !same_number(target->zero_division, zero_division);
    add(target->name +
            (other_zero_division ? fmt::format(", 0/0 = {}", zero_division_text(target->zero_division)) : ""),
        *target);
    std::rotate(values.begin(), values.end() - 1, values.end());
  }
  return values;
}

// What a report is about: the first metric asked for, else the model's own, else micro-f1.
Metric judged_metric(const EvaluateFlags& flags, const Metric* target, double zero_division,
                     const Dataset& data) {
  if (flags.metrics.empty()) return target != nullptr ? *target : parse_metric("micro-f1", zero_division);
  for (const std::string& name : split_metrics(flags.metrics)) {
    if (name != "subset-accuracy")
      return weight_classes(parse_metric(name, zero_division), flags.class_weights, data);
  }
  throw UsageError("a report needs a metric that is a ratio of counts: add one to --metric");
}

// `scores` may be null: then no threshold can be tried.
std::string charts(const Evaluation& report, const Metric& metric, const DenseMatrix* scores,
                   const Truth& truth) {
  constexpr std::size_t points = 64;
  std::string text = support_chart(report.labels);
  if (scores == nullptr) return text;
  const std::vector<float> thresholds = threshold_candidates(*scores, truth, points);
  const std::vector<double> values = metric_at_thresholds(metric, *scores, truth, thresholds);
  std::vector<std::pair<double, double>> curve;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isfinite(thresholds[k]) && std::isfinite(values[k]))
      curve.emplace_back(thresholds[k], values[k]);
  }
  return text + "\n" +
         line_chart(metric.name + " with one threshold for all labels", "threshold (0 is probability 0.5)",
                    curve);
}

struct Predictions {
  LabelMatrix labels;
  std::optional<DenseMatrix> scores;  // only a report needs them all at once
  Rankings rankings;                  // with --at
};

// For a report, the model's rule grows by the labels that it was not trained on.
Predictions model_predictions(const Common& common, const EvaluateFlags& flags, Model& model,
                              const Dataset& data) {
  Predictions out;
  if (!flags.ranking.at.empty()) {
    RankedPredictions ranked = predict_ranked(model, data, std::ranges::max(parse_ks(flags.ranking.at)));
    out.labels = std::move(ranked.labels);
    out.rankings = std::move(ranked.rankings);
  }
  if (!flags.report.empty() || flags.plot) {
    out.scores = report_scores(model, prepare(model, data));
    out.labels = decide(model.rule, *out.scores);
    add_unseen_labels(data.labels(), *out.scores, model.rule);
  } else if (flags.ranking.at.empty()) {
    out.labels = predict(model, prepare(model, data));
  }
  out.labels.cols = data.labels();
  const std::string unseen = unseen_labels_text(data, model.labels());
  if (!unseen.empty()) warn(common, unseen + "; --known-labels-only leaves them out");
  return out;
}

Predictions file_predictions(const EvaluateFlags& flags, const Dataset& data) {
  Predictions out;
  if (flags.predictions.ends_with(".npy")) {
    out.labels = read_npy_labels(flags.predictions, data.labels(), data.rows());
    return out;
  }
  std::optional<PredictionFormat> format;
  if (!flags.as.empty()) format = parse_prediction_format(flags.as);
  out.labels = read_predictions(flags.predictions, format, label_names(data), {data.rows(), data.ids});
  return out;
}

void check_flags(const EvaluateFlags& flags) {
  if (flags.data.data.empty() || flags.model.empty() == flags.predictions.empty()) {
    throw UsageError("give MODEL and DATA, or --predictions FILE and DATA; see mmo evaluate --help");
  }
  if (flags.ranking.at.empty() && !flags.ranking.propensities_from.empty())
    throw UsageError("--propensities-from is for the values at k: add --at 1,3,5");
  if (!flags.ranking.at.empty() && flags.model.empty())
    throw UsageError("--at needs the scores of a model; predictions are sets without an order");
  static_cast<void>(parse_ks(flags.ranking.at));
}

void run_evaluate(const Common& common, EvaluateFlags flags) {
  if (!flags.predictions.empty() && flags.data.data.empty()) std::swap(flags.model, flags.data.data);
  check_flags(flags);
  require_report(common, flags.report);
  std::optional<Model> model;
  if (!flags.model.empty()) {
    refuse_swapped(flags.model, flags.data.data);
    model = load_model(flags.model);
  }
  const DataUse use = flags.known_labels_only ? DataUse::known_labels_only : DataUse::labelled;
  const Dataset data =
      model ? load_for_model(common, flags.data, *model, use) : load_labels(common, flags.data);

  const Predictions made =
      model ? model_predictions(common, flags, *model, data) : file_predictions(flags, data);
  throw_if_changed(data);
  const LabelMatrix& predicted = made.labels;

  const std::vector<float> label_weights = read_label_weights(flags.label_weights, data);
  Truth truth;
  truth.labels = &data.y;
  truth.unknown = data.unknown.rows > 0 ? &data.unknown : nullptr;
  truth.row_weights = data.row_weights;
  truth.label_weights = label_weights;

  const double zero_division = !flags.zero_division.empty() ? parse_zero_division(flags.zero_division)
                               : model                      ? model->metric.zero_division
                                                            : 0;
  Evaluation report{{},
                    {},
                    &data,
                    model ? &model->metric : nullptr,
                    zero_division_text(zero_division),
                    flags.bootstrap,
                    find_unseen_labels(data, model ? model->labels() : data.labels()),
                    {}};
  report.values = metric_values(flags, report.target, zero_division, predicted, truth, data, common.seed);
  report.labels = label_table(count_labels(predicted, truth), zero_division);
  if (!flags.ranking.at.empty())
    report.ranking = ranking_values(common, flags.ranking, flags.data, *model, made.rankings, truth);
  const bool judges = flags.plot || !flags.report.empty();
  const Metric judged = judges ? judged_metric(flags, report.target, zero_division, data) : Metric();
  if (common.json) {
    print_json(as_json(report));
  } else {
    print(as_text(report));
    if (flags.plot) print("\n" + charts(report, judged, made.scores ? &*made.scores : nullptr, truth));
  }
  if (flags.report.empty()) return;
  ReportInput input = report_input(common);
  input.data = &data;
  input.truth = truth;
  input.metric = judged;
  input.predicted = &predicted;
  input.scores = made.scores ? &*made.scores : nullptr;
  input.model = model ? &*model : nullptr;
  input.rows_are = "rows given for evaluation";
  input.examples = flags.examples;
  write_report(common, flags.report, {run_report(input)});
}

}  // namespace

void add_evaluate(CLI::App& app, Session& session) {
  auto* command = add_command(
      app, session, "evaluate", "Metric values on labelled data, of a model or of any predictions",
      "Examples:\n"
      "  mmo evaluate emotions.mmo emotions-test.arff --bootstrap 1000\n"
      "  mmo evaluate --predictions labels.txt test.csv --labels last:6 --metric micro-f1,macro-f2\n"
      "  mmo evaluate m.mmo test.svm --json | jq .metrics");
  auto flags = std::make_shared<EvaluateFlags>();
  command->add_option("MODEL,--model", flags->model, "a file written by mmo train");
  add_data(*command, flags->data, ReadingHelp::short_list, false);
  command
      ->add_option("--predictions", flags->predictions,
                   "evaluate these instead of a model's (as mmo predict writes them)")
      ->type_name("FILE");
  command->add_option("--as", flags->as, "their form: names, indicator, jsonl, svmlight; else by content")
      ->type_name("FORM");
  command
      ->add_option("--metric", flags->metrics, "only these, e.g. micro-f1,samples-jaccard (see mmo methods)")
      ->type_name("M,...");
  command->add_option("--bootstrap", flags->bootstrap, "95 % intervals from N resamples of the rows")
      ->type_name("N")
      ->transform(whole_number(0, 1000000));
  command->add_flag("--known-labels-only", flags->known_labels_only,
                    "leave out labels unseen in training instead of counting them as missed");
  add_id(*command, flags->data, "with --predictions that have ids: the column that must hold the same");
  add_ranking_flags(*command, flags->ranking);
  add_report_flag(*command, flags->report);
  add_examples_flag(*command, flags->examples);
  command->add_flag("--plot", flags->plot, "draw F1 by support and the threshold curve in the terminal");
  add_zero_division(*command, flags->zero_division);
  command->add_option("--label-weights", flags->label_weights, "JSON or lines: weight of each label")
      ->type_name("FILE");
  command->add_option("--class-weights", flags->class_weights, "JSON: weights of positives and negatives")
      ->type_name("FILE");
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_evaluate(session.common, *flags); }; });
}

}  // namespace mmo::cli
