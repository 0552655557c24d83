// `--config run.toml|run.json`: a file's entries become flags of the command, unless the command line sets
// them.
//   metric = "macro-f1"        [set]           [train]            (a section named like a command
//   folds = 5                  tau = 0.5       model = "m.mmo"     holds for that command only)
#pragma once

#include <set>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mmo::cli {

struct ConfiguredArguments {
  std::vector<std::string> arguments;
  std::string file;                  // empty: no config file
  std::set<std::string> configured;  // flags set by the file, for messages: an error may be its fault
  std::vector<std::string> notes;    // entries that may be misspelt
};

// The arguments of `command` (without the program's and command's names) plus the config file's entries. A
// key outside the command's own section is left to the commands that have such an option. Throws UsageError
// naming the file and key; for unknown keys it lists candidates.
ConfiguredArguments apply_config(const CLI::App& app, const CLI::App& command,
                                 std::vector<std::string> arguments);

}  // namespace mmo::cli
