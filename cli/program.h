// A program of commands: finds the command, applies the common flags, turns errors into messages and exit
// codes.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace mmo::cli {

using AddCommand = void (*)(CLI::App& app, Session& session);

struct Program {
  std::string title;
  std::string name;  // as the user calls it
  std::vector<AddCommand> commands;
};

// `arguments` without the program's own name. Returns the exit code.
int run_program(const Program& program, const std::vector<std::string>& arguments);

}  // namespace mmo::cli
