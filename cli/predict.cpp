// mmo predict: a model's sets of labels for a file.
#include <CLI/CLI.hpp>
#include <memory>
#include <span>

#include "cli/command.h"
#include "cli/data_flags.h"
#include "cli/model_card.h"
#include "cli/predictions.h"
#include "cli/ranking_table.h"
#include "cli/row_writer.h"
#include "cli/stream.h"
#include "cli/terminal.h"
#include "cli/tuned_rule.h"
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
  bool stream = false;
};

void apply_tuned_rule(const Common& common, const PredictFlags& flags, PredictionFormat format) {
  if (flags.stream || flags.top_k > 0 || !flags.data.id.empty())
    throw UsageError("--stream, --top-k and --id are for models; this is a rule for scores");
  apply_rule(common, load_rule(flags.model), flags.data.data, flags.out, {format, flags.scores});
}

void run_predict(const Common& common, const PredictFlags& flags) {
  const PredictionFormat format = common.json ? PredictionFormat::jsonl : parse_prediction_format(flags.as);
  require_writable(flags.out, common.force);
  refuse_swapped(flags.model, flags.data.data);
  if (is_rule_file(flags.model)) return apply_tuned_rule(common, flags, format);
  const Model model = load_model(flags.model);
  AtomicFile out(flags.out, common.force);
  PredictionWriter writer(out, format, label_names(model), flags.scores, flags.data.id);
  RowWriter rows(model, writer, flags.top_k);
  if (flags.stream) {
    predict_stream(common, flags.data, model, out, format, rows);
  } else {
    const Dataset data = load_for_model(common, flags.data, model, DataUse::predicting);
    for_each_scored_block(model, prepare(model, data), block_rows(model),
                          [&](std::size_t first_row, DenseMatrix& scores) {
                            rows.write(scores, std::span(data.ids).subspan(data.ids.empty() ? 0 : first_row));
                          });
    throw_if_changed(data);
  }
  out.commit();
}

}  // namespace

void add_predict(CLI::App& app, Session& session) {
  auto* command = add_command(app, session, "predict", "Predict the labels of new rows",
                              "Examples:\n"
                              "  mmo predict emotions.mmo new.arff --out labels.txt\n"
                              "  mmo predict news.mmo texts.txt --as jsonl --scores\n"
                              "  zcat new.svm.gz | mmo predict m.mmo - --top-k 5 --as svmlight\n"
                              "  tail -f new.jsonl | mmo predict m.mmo - --stream --json --id key");
  auto flags = std::make_shared<PredictFlags>();
  command->add_option("MODEL,--model", flags->model, "a file written by mmo train, or a rule of mmo tune")
      ->required();
  add_data(*command, flags->data, ReadingHelp::short_list);
  command->add_option("--out", flags->out, "where to write (standard output)")->type_name("FILE");
  command->add_option("--as", flags->as, "names (default), indicator, jsonl or svmlight")->type_name("FORM");
  command->add_flag("--scores", flags->scores, "calibrated probabilities too (indicator: instead of 0/1)");
  command->add_option("--top-k", flags->top_k, "the K best labels of each row, whatever their scores")
      ->type_name("K")
      ->transform(whole_number(1));
  add_id(*command, flags->data, "a column that names the rows, kept in the output");
  command->add_flag("--stream", flags->stream, "a row in, its labels out at once; CSV needs its first line");
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_predict(session.common, *flags); }; });
}

}  // namespace mmo::cli
