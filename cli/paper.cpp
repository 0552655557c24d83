// mmo paper: the paper's linear experiments, resumable, and their report.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/terminal.h"
#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/report/compare.h"
#include "mmo/report/paper_study.h"

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
};

ordered_json read_results(const std::string& path) {
  const FileContent content = FileContent::open(path);
  ordered_json results = ordered_json::parse(content.bytes(), nullptr, false);
  if (!results.is_object() || !results.contains("cells"))
    throw DataError(path, 0, "not the results of `mmo paper`; name another file with --out");
  return results;
}

void run_paper(const Common& common, const PaperFlags& flags) {
  if (!flags.report.empty()) {
    print(study_markdown(read_results(flags.report)));
    return;
  }
  if (flags.data.empty())
    throw UsageError("give the folder with scene, birds, emotions and cal500, or --report FILE");
  ordered_json results;
  if (std::filesystem::exists(flags.out)) results = read_results(flags.out);
  StudyOptions options;
  options.data = flags.data;
  options.runs = flags.runs;
  options.again = flags.again;
  if (!flags.methods.empty()) {
    for (const MethodSpec& spec : parse_method_list(flags.methods)) options.methods.push_back(spec.text);
  }
  options.save = [&](const ordered_json& so_far) {
    AtomicFile file(flags.out, true);
    file.write(so_far.dump(1) + "\n");
    file.commit();
  };
  ProgressBar bar(common);
  options.progress = bar.listener();
  try {
    run_study(options, results);
  } catch (const Interrupted&) {
    if (!std::filesystem::exists(flags.out)) throw;
    throw Interrupted(flags.out + " holds the finished cells, and the same command goes on from it");
  }
  bar.erase();
  if (common.json) {
    print_json(results);
  } else {
    print(study_markdown(results));
  }
}

}  // namespace

void add_paper(CLI::App& app, Session& session) {
  auto* command = add_command(app, session, "paper", "Repeat the paper's linear experiments",
                              "Examples:\n"
                              "  mmo paper data/mulan --out paper.json      (goes on where it stopped)\n"
                              "  mmo paper --report paper.json > docs/results.md");
  auto flags = std::make_shared<PaperFlags>();
  command->add_option("DATA_DIR", flags->data,
                      "folder with scene, birds, emotions and cal500 (Mulan's files)");
  command->add_option("--runs", flags->runs, "runs per cell, seeds 0, 1, … (10)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  command->add_option("--out", flags->out, "results, updated after every cell (paper.json)")
      ->type_name("FILE");
  command->add_option("--methods", flags->methods, "only these, e.g. auto,koyejo")->type_name("LIST");
  command->add_flag("--again", flags->again, "compute cells anew that FILE already holds");
  command->add_option("--report", flags->report, "print the report of these results as Markdown")
      ->type_name("FILE");
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_paper(session.common, *flags); }; });
}

}  // namespace mmo::cli
