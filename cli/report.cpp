// mmo report: the page of a model on labelled rows, or of earlier reports side by side.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/data_flags.h"
#include "cli/model_card.h"
#include "cli/report_file.h"
#include "mmo/core/error.h"
#include "mmo/report/model_report.h"
#include "mmo/report/read_report.h"

namespace mmo::cli {
namespace {

struct ReportCommandFlags {
  std::vector<std::string> files;
  DataFlags data;
  std::string out;
  std::size_t examples = 0;
};

nlohmann::ordered_json report_of_model(const Common& common, ReportCommandFlags flags) {
  const Model model = load_model(flags.files[0]);
  if (flags.files.size() == 1) return model_report(model, flags.files[0], common.command);
  flags.data.data = flags.files[1];
  const Dataset data = load_for_model(common, flags.data, model, DataUse::labelled);
  ReportInput about = report_input(common);
  about.rows_are = "rows given for evaluation";
  about.examples = flags.examples;
  return judged_report(model, data, about);
}

void run_report_command(const Common& common, const ReportCommandFlags& flags) {
  const bool of_model = is_model_file(flags.files[0]);
  require_report(common, flags.out, of_model ? 1 : flags.files.size());
  std::vector<nlohmann::ordered_json> runs;
  if (of_model) {
    if (flags.files.size() > 2)
      throw UsageError(
          "mmo report MODEL [DATA] takes one data file; to see runs side by side give their JSON files");
    runs.push_back(report_of_model(common, flags));
  } else {
    for (const std::string& file : flags.files) {
      runs.push_back(read_report(file));
      // When shown side by side, runs are named after their files.
      if (flags.files.size() > 1) runs.back()["name"] = std::filesystem::path(file).stem().string();
    }
  }
  write_report(common, flags.out, runs);
}

}  // namespace

void add_report(CLI::App& app, Session& session) {
  auto* command =
      add_command(app, session, "report", "A page that shows what a model does, or several runs side by side",
                  "Examples:\n"
                  "  mmo report emotions.mmo emotions-test.arff --out report.html\n"
                  "  mmo evaluate a.mmo test.arff --report a.json\n"
                  "  mmo report a.json b.json --out both.html");
  auto flags = std::make_shared<ReportCommandFlags>();
  command->add_option("FILES", flags->files, "MODEL [DATA], or reports written as JSON")->required();
  command->add_option("--out", flags->out, "the page to write (or its data: FILE.json)")
      ->type_name("FILE")
      ->required();
  add_examples_flag(*command, flags->examples);
  add_data_flags(*command, flags->data, ReadingHelp::short_list);
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_report_command(session.common, *flags); }; });
}

}  // namespace mmo::cli
