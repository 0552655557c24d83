// mmo paper: the paper's linear experiments and their report; can be resumed.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/results_file.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"
#include "mmo/core/atomic_file.h"
#include "mmo/core/error.h"
#include "mmo/report/compare.h"
#include "study/as_printed.h"
#include "study/paper_study.h"

namespace mmo::cli {
namespace {

using nlohmann::ordered_json;

struct PaperFlags {
  std::string data;
  int runs = 10;
  std::string out = "paper.json";
  std::string methods;
  std::string report;
  bool again = false;
  bool as_printed = false;
  std::size_t epochs = 100;
  std::string plot;
};

// The two studies keep their results under different keys.
ResultsFile results_file(const std::string& path, bool as_printed) {
  return {path, "mmo paper", as_printed ? "units" : "cells"};
}

void print_report(const Common& common, const PaperFlags& flags) {
  const ordered_json results = results_file(flags.report, flags.as_printed).read();
  print(flags.as_printed ? study::as_printed_markdown(results) : study::study_markdown(results));
  if (flags.plot.empty()) return;
  AtomicFile plot(flags.plot, common.force);
  plot.write(study::lambda_curves_svg(results));
  plot.commit();
}

void run_as_printed(const Common& common, const PaperFlags& flags) {
  const ResultsFile file = results_file(flags.out, true);
  ordered_json results = file.read_if_there();
  study::PrintedOptions options;
  options.data = flags.data;
  options.runs = flags.runs;
  options.epochs = flags.epochs;
  options.again = flags.again;
  options.save = [&](const ordered_json& so_far) { file.save(so_far); };
  ProgressBar bar(common);
  options.progress = bar.listener();
  file.run([&] { study::run_as_printed(options, results); }, !flags.again);
  bar.erase();
  if (common.json) {
    print_json(results);
  } else {
    print(study::as_printed_markdown(results));
  }
}

void run_ours(const Common& common, const PaperFlags& flags) {
  const ResultsFile file = results_file(flags.out, false);
  ordered_json results = file.read_if_there();
  study::StudyOptions options;
  options.data = flags.data;
  options.runs = flags.runs;
  options.again = flags.again;
  if (!flags.methods.empty()) {
    for (const MethodSpec& spec : parse_method_list(flags.methods)) options.methods.push_back(spec.text);
  }
  options.save = [&](const ordered_json& so_far) { file.save(so_far); };
  ProgressBar bar(common);
  options.progress = bar.listener();
  file.run([&] { study::run_study(options, results); }, !flags.again);
  bar.erase();
  if (common.json) {
    print_json(results);
  } else {
    print(study::study_markdown(results));
  }
}

void run_paper(const Common& common, const PaperFlags& flags) {
  if (!flags.plot.empty() && (flags.report.empty() || !flags.as_printed))
    throw UsageError("--plot draws what --as-printed --report FILE reports");
  if (!flags.report.empty()) return print_report(common, flags);
  if (flags.data.empty())
    throw UsageError("give the folder with scene, birds, emotions and cal500, or --report FILE");
  if (flags.as_printed) {
    run_as_printed(common, flags);
  } else {
    run_ours(common, flags);
  }
}

}  // namespace

void add_paper(CLI::App& app, Session& session) {
  auto* command = add_command(app, session, "paper", "Repeat the paper's linear experiments",
                              "Examples:\n"
                              "  mmo paper data/mulan --out paper.json      (resumes where it stopped)\n"
                              "  mmo paper --report paper.json > docs/results.md\n"
                              "  mmo paper data/mulan --as-printed --out as_printed.json");
  auto flags = std::make_shared<PaperFlags>();
  command->add_option("DATA_DIR", flags->data,
                      "folder with scene, birds, emotions and cal500 (Mulan's files)");
  command->add_option("--runs", flags->runs, "runs per cell, seeds 0, 1, … (10)")
      ->type_name("N")
      ->transform(whole_number(1, 1000));
  command->add_option("--out", flags->out, "results, updated after every cell (paper.json)")
      ->type_name("FILE");
  command->add_option("--methods", flags->methods, "only these, e.g. auto,koyejo")->type_name("LIST");
  command->add_flag("--again", flags->again, "recompute cells that FILE already holds");
  command->add_option("--report", flags->report, "print the report of these results as Markdown")
      ->type_name("FILE");
  command->add_flag("--as-printed", flags->as_printed,
                    "the paper's own protocol: Adam, one validation part, no search of ours");
  command->add_option("--epochs", flags->epochs, "of --as-printed, which the paper does not print (100)")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command->add_option("--plot", flags->plot, "with --as-printed --report: its λ curves as SVG")
      ->type_name("FILE");
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_paper(session.common, *flags); }; });
}

}  // namespace mmo::cli
