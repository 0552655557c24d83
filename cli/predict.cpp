// mmo predict: a model's sets of labels for a file.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/command.h"
#include "cli/data_flags.h"
#include "cli/model_card.h"
#include "cli/predictions.h"
#include "cli/ranking_table.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"
#include "mmo/core/atomic_file.h"
#include "mmo/core/error.h"

namespace mmo::cli {
namespace {

struct PredictFlags {
  std::string model;
  DataFlags data;
  std::string out = "-";
  std::string as = "names";
  bool scores = false;
  std::size_t top_k = 0;
};

void run_predict(const Common& common, const PredictFlags& flags) {
  const PredictionFormat format = common.json ? PredictionFormat::jsonl : parse_prediction_format(flags.as);
  require_writable(flags.out, common.force);
  refuse_swapped(flags.model, flags.data.data);
  const Model model = load_model(flags.model);
  const Dataset data = load_for_model(common, flags.data, model, DataUse::predicting);

  AtomicFile out(flags.out, common.force);
  PredictionWriter writer(out, format, label_names(model), flags.scores);
  std::vector<std::uint32_t> labels;
  std::vector<float> probabilities(model.labels());
  for_each_scored_block(model, prepare(model, data), block_rows(model),
                        [&](std::size_t, DenseMatrix& scores) {
                          for (std::size_t i = 0; i < scores.rows; ++i) {
                            const auto row = scores.row(i);
                            if (flags.top_k > 0) {
                              best_labels(model.rule, row, {}, flags.top_k, labels);
                            } else {
                              labels.clear();
                              decide_row(model.rule, row, labels);
                            }
                            std::transform(row.begin(), row.end(), probabilities.begin(),
                                           [](float z) { return 1.0F / (1.0F + std::exp(-z)); });
                            writer.write_row(labels, probabilities);
                          }
                        });
  out.commit();
}

}  // namespace

void add_predict(CLI::App& app, Session& session) {
  auto* command = add_command(app, session, "predict", "Predict the labels of new rows",
                              "Examples:\n"
                              "  mmo predict emotions.mmo new.arff --out labels.txt\n"
                              "  mmo predict news.mmo texts.txt --as jsonl --scores\n"
                              "  zcat new.svm.gz | mmo predict m.mmo - --top-k 5 --as svmlight");
  auto flags = std::make_shared<PredictFlags>();
  command->add_option("MODEL,--model", flags->model, "a file written by mmo train")->required();
  add_data(*command, flags->data, ReadingHelp::short_list);
  command->add_option("--out", flags->out, "where to write (standard output)")->type_name("FILE");
  command->add_option("--as", flags->as, "names (default), indicator, jsonl or svmlight")->type_name("FORM");
  command->add_flag("--scores", flags->scores, "calibrated probabilities too (indicator: instead of 0/1)");
  command->add_option("--top-k", flags->top_k, "the K best labels of each row, whatever their scores")
      ->type_name("K")
      ->transform(whole_number(1));
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_predict(session.common, *flags); }; });
}

}  // namespace mmo::cli
