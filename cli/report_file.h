// Writes a report if a command was asked for one.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "mmo/core/atomic_file.h"
#include "mmo/report/run_report.h"

namespace CLI {
class App;
}

namespace mmo::cli {

void add_report_flag(CLI::App& command, std::string& path);
void add_examples_flag(CLI::App& command, std::size_t& examples);

// Throws now whatever write_report() would throw after the work.
void require_report(const Common& common, const std::string& path, std::size_t runs = 1);
// The JSON if the path ends in .json (one run only), else the page. "mmo: report: …" on standard error.
void write_report(const Common& common, const std::string& path,
                  const std::vector<nlohmann::ordered_json>& runs, FileSet* together = nullptr);

// What every command's report includes: the command and the seed.
[[nodiscard]] ReportInput report_input(const Common& common);

}  // namespace mmo::cli
