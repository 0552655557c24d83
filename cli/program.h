// A program of commands: finds the command, applies the common flags, turns errors into messages and exit
// codes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "mmo/comm/communicator.h"

namespace mmo::cli {

using AddCommand = void (*)(CLI::App& app, Session& session);

struct Program {
  std::string title;
  std::string name;  // what the user types
  std::vector<AddCommand> commands;
  Communicator* processes = &alone();
  int threads = 0;                          // unless --threads says otherwise; 0 = one per core
  std::function<void()> before_error = {};  // called just before an error is reported; may be empty
};

[[nodiscard]] Program mmo_program();

// `arguments` without the program's own name. Returns the exit code.
int run_program(const Program& program, const std::vector<std::string>& arguments);

}  // namespace mmo::cli
