// `--config run.toml|run.json`: a file's entries become flags of the command, unless the command line gives
// them itself.
//   metric = "macro-f1"        [set]           [train]            (a section named like a command
//   folds = 5                  tau = 0.5       model = "m.mmo"     holds for that command only)
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mmo::cli {

// The arguments of `command` (program and command names left out) with the config file's entries added.
// Throws UsageError naming the file and key; unknown keys list the candidates.
std::vector<std::string> apply_config(const CLI::App& app, const CLI::App& command,
                                      std::vector<std::string> arguments);

}  // namespace mmo::cli
