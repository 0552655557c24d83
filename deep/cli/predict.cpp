// mmo deep predict and mmo deep evaluate: a trained network on a file.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "cli/data_flags.h"
#include "cli/predictions.h"
#include "cli/terminal.h"
#include "deep/cli/commands.h"
#include "deep/cli/encoder_flags.h"
#include "deep/train/deep_model.h"
#include "deep/train/extract.h"
#include "mmo/data/unseen_labels.h"
#include "mmo/eval/evaluate.h"

namespace mmo::deep::cli {
namespace {

struct PredictFlags {
  std::string model;
  ReadFlags read;
  std::string out = "-";
  std::string as = "names";
  bool scores = false;
  bool known_labels_only = false;
};

Dataset load_for(const Common& common, const PredictFlags& flags, const DeepModel& model, bool need_labels) {
  LoadOptions options = mmo::cli::load_options(flags.read.data);
  options.expected_labels = model.label_names;
  options.need_labels = need_labels;
  options.unseen_labels = flags.known_labels_only ? UnseenLabels::leave_out : UnseenLabels::keep;
  return read_data(common, flags.read, model.network.encoder.kind, options);
}

DenseMatrix scores_of(const Common& common, const DeepModel& model, const Dataset& data,
                      const PredictFlags& flags) {
  const auto inputs = make_inputs(data, {.kind = model.network.encoder.kind,
                                         .width = model.network.head.in,
                                         .vocabulary = model.vocabulary,
                                         .vocabulary_source = flags.model,
                                         .tokens = model.tokens,
                                         .images = flags.read.images});
  mmo::cli::ProgressBar bar(common);
  return score_rows(model.network, *inputs, all_rows(data.rows()), bar.listener());
}

void run_predict(const Common& common, const PredictFlags& flags) {
  const auto format =
      common.json ? mmo::cli::PredictionFormat::jsonl : mmo::cli::parse_prediction_format(flags.as);
  require_writable(flags.out, common.force);
  use_threads(common);
  const DeepModel model = load_deep_model(flags.model);
  const Dataset data = load_for(common, flags, model, false);
  const DenseMatrix scores = scores_of(common, model, data, flags);
  AtomicFile out(flags.out, common.force);
  mmo::cli::PredictionWriter writer(out, format, model.label_names, flags.scores);
  std::vector<std::uint32_t> labels;
  std::vector<float> probabilities(scores.cols);
  for (std::size_t i = 0; i < scores.rows; ++i) {
    labels.clear();
    decide_row(model.rule, scores.row(i), labels);
    for (std::size_t j = 0; j < scores.cols; ++j) probabilities[j] = 1.0F / (1.0F + std::exp(-scores(i, j)));
    writer.write_row(labels, probabilities);
  }
  out.commit();
}

void run_evaluate(const Common& common, const PredictFlags& flags) {
  use_threads(common);
  const DeepModel model = load_deep_model(flags.model);
  const Dataset data = load_for(common, flags, model, true);
  LabelMatrix predicted = decide(model.rule, scores_of(common, model, data, flags));
  predicted.cols = data.labels();
  const std::string unseen = unseen_labels_text(data, model.label_names.size());
  if (!unseen.empty()) mmo::cli::warn(common, unseen + "; --known-labels-only leaves them out");
  Truth truth;
  truth.labels = &data.y;
  truth.unknown = &data.unknown;
  truth.row_weights = data.row_weights;
  nlohmann::ordered_json out{
      {"data", data.source}, {"rows", data.rows()}, {"labels", data.labels()}, {"target", model.metric}};
  std::vector<std::vector<std::string>> rows{{"metric", "value"}};
  for (const NamedValue& metric : standard_metrics(predicted, truth, 0)) {
    out["metrics"][metric.name] = metric.value;
    rows.push_back({metric.name + (metric.name == model.metric ? "  <- trained for" : ""),
                    fmt::format("{:.4f}", metric.value)});
  }
  if (common.json) {
    mmo::cli::print_json(out);
  } else {
    mmo::cli::print(mmo::cli::table(rows));
  }
}

// A command that applies a model to a file: what the two have in common.
CLI::App* add_model_command(CLI::App& app, Session& session, const std::string& name,
                            const std::string& description, const std::string& examples,
                            const std::shared_ptr<PredictFlags>& flags,
                            void (*run)(const Common&, const PredictFlags&)) {
  auto* command = mmo::cli::add_command(app, session, name, description, examples);
  command->add_option("MODEL,--model", flags->model, "a file written by mmo deep train")->required();
  mmo::cli::add_data(*command, flags->read.data, mmo::cli::ReadingHelp::short_list);
  add_image_flags(*command, flags->read.images, flags->read.skip_corrupt);
  command->callback(
      [&session, flags, run] { session.run = [&session, flags, run] { run(session.common, *flags); }; });
  return command;
}

}  // namespace

void add_predict(CLI::App& app, Session& session) {
  auto flags = std::make_shared<PredictFlags>();
  auto* command = add_model_command(app, session, "predict", "Predict the labels of new rows with a network",
                                    "Examples:\n"
                                    "  mmo deep predict news.mmod texts.txt --as jsonl --scores",
                                    flags, run_predict);
  command->add_option("--out", flags->out, "where to write (standard output)")->type_name("FILE");
  command->add_option("--as", flags->as, "names (default), indicator, jsonl or svmlight")->type_name("FORM");
  command->add_flag("--scores", flags->scores, "probabilities too (indicator: instead of 0/1)");
}

void add_evaluate(CLI::App& app, Session& session) {
  auto flags = std::make_shared<PredictFlags>();
  auto* command = add_model_command(app, session, "evaluate", "Metric values of a network on labelled data",
                                    "Examples:\n"
                                    "  mmo deep evaluate news.mmod reuters/ --part test90 --json",
                                    flags, run_evaluate);
  command->add_flag("--known-labels-only", flags->known_labels_only,
                    "leave out labels unseen in training instead of counting them as missed");
}

}  // namespace mmo::deep::cli
