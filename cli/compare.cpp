// mmo compare: several methods on the same data, splits and seeds.
#include "mmo/report/compare.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/data_flags.h"
#include "cli/report_file.h"
#include "cli/terminal.h"
#include "cli/train_settings.h"
#include "cli/whole_number.h"
#include "mmo/core/error.h"
#include "mmo/data/unseen_labels.h"
#include "mmo/report/model_report.h"
#include "study/ablations.h"

namespace mmo::cli {
namespace {

struct CompareFlags {
  DataFlags data;
  std::string test;
  std::string methods = "auto,koyejo,macro-thres,br";
  std::string metrics = "micro-f1,macro-f1,samples-f1";
  int runs = 10;
  double test_share = 0.2;
  std::string effort = "standard";
  int folds = 5;
  std::size_t min_positives = 1;
  std::string zero_division = "0";
  bool ablations = false;
  bool markdown = false;
  bool latex = false;
  std::string report;
};

// Reports on the first run's models for the first metric, all judged on the same rows.
std::function<void(const ComparedRun&)> report_first_run(const Common& common, const CompareFlags& flags,
                                                         const CompareOptions& options,
                                                         std::vector<nlohmann::ordered_json>& reports) {
  if (flags.report.empty()) return {};
  return [&common, &options, &reports](const ComparedRun& compared) {
    if (compared.run != 0 || compared.metric != 0) return;
    ReportInput about = report_input(common);
    about.name = options.methods[compared.method].text;
    about.rows_are = "test rows of the first run";
    reports.push_back(judged_report(compared.model, compared.test, about));
  };
}

void run_compare(const Common& common, const CompareFlags& flags) {
  if (static_cast<int>(common.json) + static_cast<int>(flags.markdown) + static_cast<int>(flags.latex) > 1)
    throw UsageError("choose one of --json, --markdown and --latex");
  CompareOptions options;
  options.runs = flags.runs;
  options.test_share = flags.test_share;
  options.effort = parse_effort(flags.effort);
  options.folds = flags.folds;
  options.min_positives = flags.min_positives;
  if (!flags.ablations) options.methods = parse_method_list(flags.methods);
  std::string rest = flags.metrics + ",";
  for (std::size_t comma = rest.find(','); comma != std::string::npos; comma = rest.find(',')) {
    options.metrics.push_back(parse_metric(rest.substr(0, comma), parse_zero_division(flags.zero_division)));
    rest.erase(0, comma + 1);
  }
  const Dataset data = load(common, flags.data);
  if (flags.ablations)
    options.methods = study::ablations(std::holds_alternative<CsrMatrix>(data.x) || data.is_text());
  require_report(common, flags.report, options.methods.size());
  std::optional<Dataset> test;
  if (!flags.test.empty()) {
    test = load_beside(common, flags.data, flags.test, data, UnseenLabels::keep);
    const std::string unseen = unseen_labels_text(*test, data.labels());
    if (!unseen.empty()) warn(common, unseen);
  }
  ProgressBar bar(common);
  options.progress = bar.listener();
  std::vector<nlohmann::ordered_json> reports;
  options.trained = report_first_run(common, flags, options, reports);
  const Comparison comparison = compare(data, test ? &*test : nullptr, options);
  bar.erase();
  if (!reports.empty()) {
    reports[0]["comparison"] = comparison_json(comparison);
    write_report(common, flags.report, reports);
  }
  if (common.json) {
    print_json(comparison_json(comparison));
  } else {
    print(flags.markdown ? comparison_markdown(comparison)
          : flags.latex  ? comparison_latex(comparison)
                         : comparison_text(comparison));
  }
}

}  // namespace

void add_compare(CLI::App& app, Session& session) {
  auto* command = add_command(
      app, session, "compare", "Compare methods on the same data, splits and seeds",
      "Examples:\n"
      "  mmo compare train.arff test.arff --methods auto,koyejo,\"auto[stack=off]\" --metrics "
      "micro-f1,macro-f1\n"
      "  mmo compare train.arff --set-of-ablations --runs 20     (without a test file: random test parts)");
  auto flags = std::make_shared<CompareFlags>();
  add_data(*command, flags->data, ReadingHelp::short_list);
  command->add_option("TEST", flags->test, "test file; without it every run draws its own test part");
  command
      ->add_option("--methods", flags->methods,
                   "names, with settings: br,\"auto[stack=off]\"; the first is the base")
      ->type_name("LIST");
  command->add_option("--metrics", flags->metrics, "each method is trained for each metric")
      ->type_name("LIST");
  command->add_option("--runs", flags->runs, "runs; run r has seed r (10; fewer than 6 can't reach p < 0.05)")
      ->type_name("N")
      ->transform(whole_number(1, 1000));
  command->add_option("--test-share", flags->test_share, "share of rows tested on without TEST (0.2)")
      ->type_name("S")
      ->check(CLI::Range(0.01, 0.99));
  command->add_flag("--set-of-ablations", flags->ablations,
                    "auto, and auto with one part switched off at a time");
  command->add_option("--effort", flags->effort, "quick, standard (default) or thorough")->type_name("E");
  command->add_option("--folds", flags->folds, "folds of the out-of-fold scores (5)")
      ->type_name("N")
      ->transform(whole_number(2, 1000));
  command
      ->add_option("--min-positives", flags->min_positives,
                   "labels with fewer positives are never predicted (1)")
      ->type_name("N")
      ->transform(whole_number(0));
  add_zero_division(*command, flags->zero_division);
  add_report_flag(*command, flags->report);
  command->add_flag("--markdown", flags->markdown, "a Markdown table");
  command->add_flag("--latex", flags->latex, "a LaTeX table");
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_compare(session.common, *flags); }; });
}

}  // namespace mmo::cli
