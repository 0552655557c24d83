// What the program reads besides: metrics, configurations, predictions, scores, weights of labels and
// classes.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/config.h"
#include "cli/predictions.h"
#include "cli/score_file.h"
#include "cli/weights.h"
#include "fuzz/input_file.h"
#include "fuzz/mutators.h"
#include "fuzz/targets.h"
#include "mmo/core/error.h"
#include "mmo/metric/class_weights.h"
#include "mmo/metric/metric.h"
#include "mmo/metric/metric_file.h"

namespace mmo::fuzz {
namespace {

const std::vector<std::string> names{"red", "green", "blue"};

void use(const Metric& metric) {
  for (const CountRatio& ratio : metric.ratios) {
    static_cast<void>(formula(ratio));
    static_cast<void>(value_range(ratio));
    static_cast<void>(ratio_value(ratio, {3, 2, 1, 4}, 0));
  }
  static_cast<void>(trivial_answer(metric));
}

void metric(const std::string& bytes) { use(parse_metric(bytes)); }
void metric_file(const std::string& bytes) { use(parse_metric(InputFile(bytes, ".json").path())); }

// A program with an option of each kind.
void config(const std::string& bytes) {
  CLI::App app;
  CLI::App* train = app.add_subcommand("train");
  std::string text, file;
  std::vector<std::string> settings;
  bool flag = false;
  train->add_option("--metric", text);
  train->add_option("--set", settings);
  train->add_option("--config", file);
  train->add_option("data,--data", text);
  train->add_flag("--quiet", flag);
  app.add_subcommand("predict")->add_option("--model", text);
  const InputFile input(bytes, ".conf");
  try {
    static_cast<void>(cli::apply_config(app, *train, {"--config=" + input.path()}));
  } catch (const CLI::Error&) {
    // the program turns these into messages
  }
}

void predictions(const std::string& bytes) {
  using cli::PredictionFormat;
  const InputFile input(bytes, ".txt");
  const cli::ExpectedRows rows[] = {{3, {}}, {3, {"a", "b", "c"}}};
  for (const cli::ExpectedRows& expected : rows) {
    for (const std::optional<PredictionFormat> format :
         {std::optional<PredictionFormat>(), std::optional(PredictionFormat::names),
          std::optional(PredictionFormat::indicator), std::optional(PredictionFormat::jsonl),
          std::optional(PredictionFormat::svmlight)}) {
      try {
        static_cast<void>(cli::read_predictions(input.path(), format, names, expected));
      } catch (const Error&) {
        // another format may still fit
      }
    }
  }
}

void scores(const std::string& bytes) {
  for (const char* ending : {".npy", ".csv"}) {
    try {
      cli::Common common;
      common.quiet = true;
      static_cast<void>(cli::read_scores(common, InputFile(bytes, ending).path()));
    } catch (const Error&) {
    }
  }
}

Dataset labelled() {
  Dataset data;
  data.source = "data";
  data.label_names = names;
  data.y.cols = names.size();
  return data;
}

void label_weights(const std::string& bytes) {
  static_cast<void>(cli::read_label_weights(InputFile(bytes, ".json").path(), labelled()));
}
void class_weights(const std::string& bytes) {
  use(cli::weight_classes(parse_metric("macro-f1"), InputFile(bytes, ".json").path(), labelled()));
}

}  // namespace

std::span<const Target> program_targets() {
  static const Target targets[] = {
      {"metric", metric, "src/mmo/metric/ratio_expression.cpp src/mmo/metric/metric_names.cpp"},
      {"metric-file", metric_file, "src/mmo/metric/metric_file.cpp", mutate_json_text},
      {"config", config, "cli/config.cpp"},
      {"predictions", predictions, "cli/read_predictions.cpp"},
      {"scores", scores, "src/mmo/data/npy.cpp"},
      {"label-weights", label_weights, "cli/weights.cpp", mutate_json_text},
      {"class-weights", class_weights, "cli/weights.cpp", mutate_json_text},
  };
  return targets;
}

}  // namespace mmo::fuzz
