#include "cli/report_file.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/terminal.h"
#include "mmo/core/error.h"
#include "mmo/report/report_page.h"

namespace mmo::cli {
namespace {

bool is_json(const std::string& path) { return path.ends_with(".json"); }

}  // namespace

void add_report_flag(CLI::App& command, std::string& path) {
  command.add_option("--report", path, "also write a page that shows it all (or its data: FILE.json)")
      ->type_name("FILE");
}

void add_examples_flag(CLI::App& command, std::size_t& examples) {
  command.add_option("--examples", examples, "in the report: show the content of the N worst rows (none)")
      ->type_name("N");
}

void require_report(const Common& common, const std::string& path, std::size_t runs) {
  if (path.empty()) return;
  if (is_json(path) && runs > 1) {
    throw UsageError(
        fmt::format("{}: several runs make one page, not one JSON file: end the name in .html", path));
  }
  if (!is_json(path)) require_report_page();
  require_writable(path, common.force);
}

void write_report(const Common& common, const std::string& path,
                  const std::vector<nlohmann::ordered_json>& runs, FileSet* together) {
  const std::string content = is_json(path) ? report_text(runs[0]) + "\n" : report_page(runs);
  AtomicFile file(path, common.force, together);
  file.write(content);
  file.commit();
  if (!common.quiet && path != "-") say(fmt::format("mmo: report: {}\n", path));
}

ReportInput report_input(const Common& common) {
  ReportInput input;
  input.command = common.command;
  input.seed = common.seed;
  return input;
}

}  // namespace mmo::cli
