// `--config run.toml|run.json`: a file's entries become flags of the command, unless the command line gives
// them itself.
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
  std::set<std::string> configured;  // flags that the file names, for messages: a fault may be its fault
  std::vector<std::string> notes;    // what of it may be misspelt
};

// The arguments of `command` (program and command names left out) with the config file's entries added. A
// key outside of the command's own section is left to the commands that have such an option.
// Throws UsageError naming the file and key; unknown keys list the candidates.
ConfiguredArguments apply_config(const CLI::App& app, const CLI::App& command,
                                 std::vector<std::string> arguments);

}  // namespace mmo::cli
