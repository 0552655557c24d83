// mmo train: from a data file and a metric to a model.
#include "mmo/search/train.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/data_flags.h"
#include "cli/history.h"
#include "cli/report_file.h"
#include "cli/sizes.h"
#include "cli/terminal.h"
#include "cli/train_settings.h"
#include "cli/weights.h"
#include "cli/whole_number.h"
#include "mmo/comm/checkpoint.h"
#include "mmo/core/atomic_file.h"
#include "mmo/core/error.h"
#include "mmo/report/model_report.h"

namespace mmo::cli {
namespace {

struct TrainFlags {
  DataFlags data;
  std::string metric;
  std::string model;
  std::string subject_to;
  std::string method = "auto";
  std::string search = "auto";
  std::string effort = "standard";
  std::string valid;
  int folds = 5;
  std::size_t min_positives = 1;
  std::string label_weights;
  std::string class_weights;
  std::string memory;
  std::string time_limit;
  std::string zero_division = "0";
  std::vector<std::string> settings;
  std::string report;
  std::string checkpoint;
};

std::map<std::string, std::string> parse_settings(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> settings;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(fmt::format("--set '{}': write key=value", text));
    settings[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return settings;
}

// --search names how λ is found: a λ search on top of the method (mmo unless one is named), or the method
// ema.
void apply_search(const std::string& search, TrainOptions& options) {
  if (search == "auto") return;
  if (search == "ema") {
    if (options.method != "auto" && options.method != "ema")
      throw UsageError(
          fmt::format("--search ema is a method of its own; leave out --method {}", options.method));
    options.method = "ema";
    return;
  }
  if (search != "scan" && search != "bisect" && search != "dinkelbach")
    throw UsageError(
        fmt::format("--search '{}' is unknown; use auto, scan, bisect, dinkelbach or ema", search));
  if (options.method == "auto") options.method = "mmo";
  if (!options.settings.try_emplace("lambda", search).second)
    throw UsageError("--search and --set lambda both say how λ is found; give one of them");
}

// What later files need to be read alike.
Reading reading_of(const TrainFlags& flags, const Dataset& data) {
  return {.index_base = data.index_base ? std::to_string(*data.index_base) : "",
          .label_columns = flags.data.labels,
          .text_column = flags.data.text_column,
          .weight_column = flags.data.weights,
          .group_column = flags.data.groups};
}

// What else a reader of the model wants to know of its files.
nlohmann::json load_record(const TrainFlags& flags) {
  nlohmann::json record{{"data", flags.data.data}};
  const auto note = [&](const char* key, const std::string& value) {
    if (!value.empty() && value != "auto") record[key] = value;
  };
  note("format", flags.data.format);
  note("part", flags.data.part);
  note("valid", flags.valid);
  note("label_weights", flags.label_weights);
  note("class_weights", flags.class_weights);
  return record;
}

// Long work says so before it starts.
void announce(const Common& common, const SearchEstimate& estimate) {
  constexpr double long_seconds = 30;
  constexpr double giga = 1024.0 * 1024.0 * 1024.0;
  const double size = static_cast<double>(estimate.bytes) / giga;
  const bool sampled = estimate.searched_rows < estimate.rows;
  if (common.quiet || (estimate.seconds < long_seconds && size < 1 && !sampled)) return;
  const double minutes = estimate.seconds / 60;
  notice(fmt::format(
      "the search {}will take about {} and up to {:.1f} GB; --time-limit, --memory and --effort bound it",
      sampled ? fmt::format("on {} of {} rows ", estimate.searched_rows, estimate.rows) : "",
      minutes < 2    ? fmt::format("{:.0f} s", estimate.seconds)
      : minutes < 90 ? fmt::format("{:.0f} min", minutes)
                     : fmt::format("{:.1f} h", minutes / 60),
      size));
}

// Seconds spent in each stage, from what the stages report.
class StageClock {
 public:
  [[nodiscard]] Progress listen(Progress next) {
    return [this, next = std::move(next)](const ProgressEvent& event) {
      if (event.stage != stage_) enter(event.stage);
      if (next) next(event);
    };
  }
  [[nodiscard]] nlohmann::ordered_json seconds() {
    enter({});
    return seconds_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void enter(const std::string& stage) {
    const auto now = Clock::now();
    if (!stage_.empty() && stage_ != "done")
      seconds_[stage_] = seconds_.value(stage_, 0.0) + std::chrono::duration<double>(now - entered_).count();
    stage_ = stage;
    entered_ = now;
  }

  std::string stage_;
  Clock::time_point entered_;
  nlohmann::ordered_json seconds_ = nlohmann::ordered_json::object();
};

void run_train(const Common& common, const TrainFlags& flags, Communicator& processes) {
  const auto start = std::chrono::steady_clock::now();
  TrainOptions options;
  options.method = flags.method;
  options.effort = parse_effort(flags.effort);
  options.folds = flags.folds;
  options.min_positives = flags.min_positives;
  options.seed = common.seed;
  if (!flags.memory.empty()) options.memory_limit = parse_size(flags.memory, "--memory");
  if (!flags.time_limit.empty()) options.time_limit = parse_duration(flags.time_limit, "--time-limit");
  options.settings = parse_settings(flags.settings);
  options.text = take_text_settings(options.settings);
  apply_search(flags.search, options);
  const double zero_division = parse_zero_division(flags.zero_division);
  const Metric metric = parse_metric(flags.metric, zero_division);
  if (!flags.subject_to.empty()) options.subject_to = parse_constraint(flags.subject_to, zero_division);
  if (flags.model == "-") throw UsageError("--model needs a file's name");
  require_shared_file(flags.data, processes);
  const bool writes = processes.rank() == 0;
  together(processes, [&] {
    if (!writes) return;
    require_writable(flags.model, common.force);
    require_report(common, flags.report);
  });
  options.processes = &processes;
  options.checkpoint = flags.checkpoint;
  options.keep_held_out = writes && !flags.report.empty();

  ProgressBar bar(common);
  StageClock stages;
  options.progress = stages.listen(bar.listener());
  options.estimated = [&](const SearchEstimate& estimate) { announce(common, estimate); };
  report(options.progress, "reading", 0);
  Dataset data;
  std::optional<Dataset> valid;
  together(processes, [&] {
    data = load(common, flags.data);
    if (!flags.valid.empty())
      valid = load_beside(common, flags.data, flags.valid, data, UnseenLabels::refuse);
    options.metric = weight_classes(metric, flags.class_weights, data);
    options.label_weights = read_label_weights(flags.label_weights, data);
  });
  if (valid) options.valid = &*valid;

  TrainResult result = train(data, options);
  if (!writes) return;
  result.model.reading = reading_of(flags, data);
  result.model.history["load"] = load_record(flags);
  result.model.history = with_reading(std::move(result.model.history), result.model.reading);
  save_model(result.model, flags.model, common.force);
  if (!flags.checkpoint.empty()) remove_checkpoint(flags.checkpoint);
  if (options.keep_held_out) {
    write_report(common, flags.report, {training_report(result, data, options, report_input(common))});
  }
  bar.erase();
  for (const std::string& warning : result.warnings) {
    const bool said_on_reading = std::find(data.notes.begin(), data.notes.end(), warning) != data.notes.end();
    if (!said_on_reading) warn(common, warning);
  }

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (common.json) {
    nlohmann::ordered_json out(result.model.history);
    out["model"] = flags.model;
    out["seconds"] = seconds;
    if (processes.size() > 1) out["bytes_received"] = processes.received();
    out["stages"] = stages.seconds();
    out["warnings"] = result.warnings;
    print_json(out);
  } else {
    print(fmt::format("{}\nmodel: {}   ({:.2f} s)\n", history_text(result.model), flags.model, seconds));
  }
}

}  // namespace

void add_train(CLI::App& app, Session& session) {
  auto* command = add_command(app, session, "train", "Train a model for the metric it is judged by",
                              "Examples:\n"
                              "  mmo train shop.csv --labels tags --metric samples-f1 --model shop.mmo");
  auto flags = std::make_shared<TrainFlags>();
  add_data(*command, flags->data, ReadingHelp::short_list);
  command
      ->add_option("--metric", flags->metric,
                   "what to maximise: micro-f1, macro-jaccard, … (see mmo methods)")
      ->type_name("M")
      ->required();
  command->add_option("--model", flags->model, "where to write the model")->type_name("OUT")->required();
  command->add_option("--groups", flags->data.groups, "column: rows of one group stay on one side of a split")
      ->type_name("NAME");
  command->add_option("--method", flags->method, "recipe: auto (default), br, koyejo, … (see mmo methods)")
      ->type_name("R");
  command
      ->add_option("--subject-to", flags->subject_to,
                   "only where this holds, e.g. \"precision>=0.9\" (any metric, >= or <=)")
      ->type_name("C");
  command
      ->add_option("--search", flags->search,
                   "how λ is found: auto (the method's way), scan, bisect, dinkelbach or ema")
      ->type_name("S");
  command->add_option("--effort", flags->effort, "quick, standard (default) or thorough")->type_name("E");
  command->add_option("--valid", flags->valid, "choose on these rows instead of out-of-fold scores")
      ->type_name("FILE");
  command->add_option("--folds", flags->folds, "folds of the out-of-fold scores (5)")
      ->type_name("N")
      ->transform(whole_number(2, 1000));
  command
      ->add_option("--min-positives", flags->min_positives,
                   "labels with fewer positives are never predicted (1)")
      ->type_name("N")
      ->transform(whole_number(0));
  command->add_option("--label-weights", flags->label_weights, "JSON or lines: weight of each label")
      ->type_name("FILE");
  command->add_option("--class-weights", flags->class_weights, "JSON: weights of positives and negatives")
      ->type_name("FILE");
  add_zero_division(*command, flags->zero_division);
  command->add_option("--memory", flags->memory, "keep below this, e.g. 4G")->type_name("SIZE");
  command->add_option("--time-limit", flags->time_limit, "stop searching after e.g. 10m")->type_name("T");
  command
      ->add_option("--checkpoint", flags->checkpoint,
                   "folder of what is solved so far: the same command goes on from there")
      ->type_name("DIR");
  command->add_option("--set", flags->settings, "finer choices: tau, coupling, l2, rule, … (see mmo methods)")
      ->type_name("K=V")
      ->allow_extra_args(false);  // one per --set: the word after it may be DATA
  add_report_flag(*command, flags->report);
  command->callback([&session, flags] {
    session.takes_several = true;
    session.run = [&session, flags] { run_train(session.common, *flags, *session.processes); };
  });
}

}  // namespace mmo::cli
