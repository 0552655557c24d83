// What every command of the program shares: its common flags and how main finds it. A command is one file
// with one function add_<name>, which declares its flags and, if chosen, leaves the work in Session::run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mmo/comm/communicator.h"

namespace CLI {
class App;
}

namespace mmo::cli {

// Flags of every command, explained once by `mmo --help`.
struct Common {
  bool json = false;
  bool quiet = false;
  bool force = false;
  int threads = 0;  // 0 = one per core
  std::uint64_t seed = 0;
  std::string config;
  std::string max_input;
  std::string command;  // as typed, for records
};

struct Session {
  Common common;
  Communicator* processes = nullptr;
  bool takes_several = false;  // the chosen command can share its work among processes
  std::function<void()> run;   // the chosen command, ready to go
};

// Groups that `--help` sums up in one line each; `mmo --help` and `mmo inspect --help` explain them.
inline constexpr const char* common_group = "Common";
inline constexpr const char* reading_group = "Reading";

// A subcommand with the common flags; `examples` ends its help.
CLI::App* add_command(CLI::App& app, Session& session, const std::string& name, const std::string& summary,
                      const std::string& examples);

// Null if there is no such command.
const CLI::App* find_command(const CLI::App& app, const std::string& name);

// The long names of a command's flags, without the dashes.
[[nodiscard]] std::vector<std::string> long_flags(const CLI::App& command);

void add_train(CLI::App& app, Session& session);
void add_predict(CLI::App& app, Session& session);
void add_evaluate(CLI::App& app, Session& session);
void add_tune(CLI::App& app, Session& session);
void add_compare(CLI::App& app, Session& session);
void add_paper(CLI::App& app, Session& session);
void add_deep(CLI::App& app, Session& session);
void add_bounds(CLI::App& app, Session& session);
void add_report(CLI::App& app, Session& session);
void add_inspect(CLI::App& app, Session& session);
void add_convert(CLI::App& app, Session& session);
void add_split(CLI::App& app, Session& session);
void add_export(CLI::App& app, Session& session);
void add_methods(CLI::App& app, Session& session);
void add_demo(CLI::App& app, Session& session);
void add_completion(CLI::App& app, Session& session);

}  // namespace mmo::cli
