// mmo demo: trains on data the program generates and compares MMO with the baselines.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/command.h"
#include "cli/report_file.h"
#include "cli/terminal.h"
#include "cli/train_settings.h"
#include "cli/whole_number.h"
#include "mmo/core/atomic_file.h"
#include "mmo/core/error.h"
#include "mmo/data/describe.h"
#include "mmo/data/generate.h"
#include "mmo/data/load.h"
#include "mmo/eval/evaluate.h"
#include "mmo/report/model_report.h"
#include "mmo/report/report_page.h"
#include "mmo/search/train.h"
#include "mmo/split/split.h"

namespace mmo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 4> methods{"br", "koyejo", "macro-thres", "auto"};
constexpr std::array<const char*, 2> metrics{"micro-f1", "macro-f1"};
constexpr double test_share = 0.4;

struct DemoFlags {
  std::size_t rows = 2000;
  std::string effort = "standard";
  std::string out = "mmo-demo";
};

struct DemoResult {
  std::string method, metric;
  double value = 0, seconds = 0;
  nlohmann::json history;
};

// The folder; if it was created here and stays empty, it is removed again.
class OutputFolder {
 public:
  explicit OutputFolder(const fs::path& path) : path_(path) {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) throw IoError(fmt::format("{}: {}", path_.string(), error.message()));
  }
  ~OutputFolder() {
    std::error_code ignored;
    if (fs::is_empty(path_, ignored)) fs::remove(path_, ignored);
  }
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

 private:
  fs::path path_;
};

DemoResult run_one(const Dataset& train_data, const Dataset& test_data, const TrainOptions& options,
                   Model& model) {
  const auto start = std::chrono::steady_clock::now();
  model = train(train_data, options).model;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Truth truth;
  truth.labels = &test_data.y;
  const double value = evaluate(options.metric, predict(model, prepare(model, test_data)), truth);
  return {options.method, options.metric.name, value, seconds, model.history};
}

std::string comparison(const std::vector<DemoResult>& results) {
  std::vector<std::vector<std::string>> rows{{"trained for, judged by"}};
  for (const char* metric : metrics) rows[0].emplace_back(metric);
  rows[0].emplace_back("seconds");
  for (const char* method : methods) {
    rows.push_back({std::string(method) + (method == std::string("auto") ? " (MMO)" : "")});
    double seconds = 0;
    for (const DemoResult& r : results) {
      if (r.method != method) continue;
      rows.back().push_back(fmt::format("{:.4f}", r.value));
      seconds += r.seconds;
    }
    rows.back().push_back(fmt::format("{:.2f}", seconds));
  }
  return table(rows);
}

nlohmann::ordered_json as_json(const std::vector<DemoResult>& results, const DataCard& card,
                               const DemoFlags& flags, std::uint64_t seed) {
  nlohmann::ordered_json out{{"seed", seed}, {"effort", flags.effort}, {"data", card_json(card)}};
  for (const DemoResult& r : results) {
    out["results"].push_back({{"method", r.method},
                              {"metric", r.metric},
                              {"test_value", r.value},
                              {"seconds", r.seconds},
                              {"history", r.history}});
  }
  return out;
}

struct Trained {
  std::vector<DemoResult> results;
  Model shown;  // auto for the first metric
};

// Trains every method for every metric.
Trained train_all(const Common& common, Effort effort, const Dataset& train_data, const Dataset& test_data) {
  ProgressBar bar(common);
  Trained trained;
  double done = 0;
  for (const char* metric : metrics) {
    for (const char* method : methods) {
      TrainOptions options;
      options.metric = parse_metric(metric);
      options.method = method;
      options.effort = effort;
      options.seed = common.seed;
      if (const Progress listener = bar.listener()) {
        options.progress = [&, listener](const ProgressEvent& event) {
          listener({fmt::format("{} for {}: {}", method, metric, event.stage),
                    (done + event.fraction) / (methods.size() * metrics.size()), event.detail});
        };
      }
      Model model;
      trained.results.push_back(run_one(train_data, test_data, options, model));
      done += 1;
      if (options.method == "auto" && options.metric.name == metrics[0]) trained.shown = std::move(model);
    }
  }
  bar.erase();
  return trained;
}

void write_demo_report(Common common, const Model& model, const Dataset& test_data, const std::string& path,
                       FileSet& files) {
  common.quiet = true;  // the folder's files are listed in one go
  ReportInput about = report_input(common);
  about.rows_are = "test rows";
  write_report(common, path, {judged_report(model, test_data, about)}, &files);
}

void run_demo(const Common& common, const DemoFlags& flags) {
  const Effort effort = parse_effort(flags.effort);
  const fs::path folder = flags.out;
  GenerateOptions shape;
  shape.rows = flags.rows;
  shape.seed = common.seed + 1;
  const Dataset data = generate_dataset(shape);
  const Split split = stratified_split(data.y, test_share, common.seed);
  const Dataset train_data = take_rows(data, split.train);
  const Dataset test_data = take_rows(data, split.test);
  const DataCard card = describe(data);

  const OutputFolder made(folder);
  const auto in_folder = [&](const char* name) { return (folder / name).string(); };
  for (const char* name :
       {"model.mmo", "train.arff", "train.xml", "test.arff", "test.xml", "run.json", "report.html"})
    require_writable(in_folder(name), common.force);
  FileSet files;
  const Trained trained = train_all(common, effort, train_data, test_data);
  save_model(trained.shown, in_folder("model.mmo"), common.force, &files);
  const SaveOptions saving{.overwrite = common.force, .together = &files};
  save_dataset(train_data, in_folder("train.arff"), saving);
  save_dataset(test_data, in_folder("test.arff"), saving);
  const bool reported = !report_template().empty();
  if (reported) write_demo_report(common, trained.shown, test_data, in_folder("report.html"), files);
  const nlohmann::ordered_json record = as_json(trained.results, card, flags, common.seed);
  AtomicFile run_file(in_folder("run.json"), common.force, &files);
  run_file.write(record.dump(2) + "\n");
  run_file.commit();
  files.commit();

  if (common.json) {
    print_json(record);
    return;
  }
  print(fmt::format("{}\nTest values on {} held-out rows:\n\n{}\n", card_text(card), test_data.rows(),
                    comparison(trained.results)));
  if (reported) print(fmt::format("report:  {}/report.html   (open it in a browser)\n", folder.string()));
  print(
      fmt::format("model:   {0}/model.mmo   (auto, micro-f1)\nrun:     {0}/run.json\ndata:    "
                  "{0}/train.arff, {0}/test.arff\n"
                  "try:     mmo evaluate {0}/model.mmo {0}/test.arff --bootstrap 1000\n"
                  "         mmo inspect {0}/model.mmo --top 5\n",
                  folder.string()));
}

}  // namespace

void add_demo(CLI::App& app, Session& session) {
  auto* command =
      add_command(app, session, "demo", "Train on generated data and compare MMO with the baselines",
                  "Examples:\n  mmo demo\n  mmo demo --rows 10000 --effort thorough --out big-demo");
  auto flags = std::make_shared<DemoFlags>();
  command->add_option("--rows", flags->rows, "rows of the generated data (2000)")
      ->type_name("N")
      ->transform(whole_number(100, 10000000));
  command->add_option("--effort", flags->effort, "quick, standard (default) or thorough")->type_name("E");
  command->add_option("--out", flags->out, "folder for data, model and run.json (mmo-demo)")
      ->type_name("DIR");
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_demo(session.common, *flags); }; });
}

}  // namespace mmo::cli
