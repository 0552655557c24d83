#include "cli/program.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>

#include "cli/config.h"
#include "cli/help.h"
#include "cli/sizes.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"
#include "mmo/core/error.h"
#include "mmo/core/input_limit.h"
#include "mmo/core/nearest.h"
#include "mmo/core/parallel.h"
#include "mmo/core/version.h"
#include "mmo/core/write_target.h"

namespace mmo::cli {

CLI::App* add_command(CLI::App& app, Session& session, const std::string& name, const std::string& summary,
                      const std::string& examples) {
  CLI::App* command = app.add_subcommand(name, summary);
  command->footer(examples);
  command->option_defaults()->group(common_group);
  Common& common = session.common;
  command->add_flag("--json", common.json, "results as JSON");
  command->add_flag("--quiet", common.quiet, "no progress, no warnings");
  command->add_flag("--force", common.force, "replace existing files");
  command->add_option("--threads", common.threads, "threads (default: one per core)")
      ->type_name("N")
      ->transform(whole_number(0, 4096));
  command->add_option("--seed", common.seed, "seed of all random choices")
      ->type_name("S")
      ->transform(whole_number(0));
  command->add_option("--config", common.config, "flags from a TOML or JSON file")->type_name("FILE");
  command->add_option("--max-input", common.max_input, "most memory that an input may unpack to or announce")
      ->type_name("SIZE");
  command->option_defaults()->group("Options");
  return command;
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; });
  return found.empty() ? nullptr : found[0];
}

std::vector<std::string> long_flags(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  return names;
}

namespace {

constexpr const char* common_help =
    "Every command takes:\n"
    "  --json          results as JSON on standard output\n"
    "  --quiet         no progress bar, no warnings\n"
    "  --force         replace existing files (nothing is overwritten without it)\n"
    "  --threads N     threads (default: one per core; results do not depend on it)\n"
    "  --seed S        seed of all random choices (default 0)\n"
    "  --config FILE   flags from run.toml or run.json; flags on the command line win\n"
    "  --max-input S   most memory an input may unpack to or announce (1G, or 100 times its size)\n"
    "\n"
    "Exit codes: 0 success, 1 internal fault, 2 wrong flags, 3 unusable data, 4 unusable model,\n"
    "            5 file missing or not writable, 130 interrupted";

int fail(const std::string& message, ExitCode code) {
  std::fflush(stdout);
  say(fmt::format("mmo: error: {}\n", for_terminal(message)));
  return static_cast<int>(code);
}

// What CLI11 could not place, in the order given; flags come with what they were probably meant to be.
std::string unexpected(const CLI::App& command) {
  const std::vector<std::string> known = long_flags(command);
  std::string list;
  for (const std::string& word : command.remaining()) {
    list += (list.empty() ? "" : ", ") + word;
    if (!word.starts_with("--")) continue;
    const std::string meant = nearest(word.substr(2, word.find('=') - 2), known);
    if (!meant.empty()) list += fmt::format(" (did you mean --{}?)", meant);
  }
  return "not expected: " + list;
}

// CLI11 calls a missing "DATA,--data" by its flag; users know it as DATA.
std::string what_is_wrong(const CLI::ParseError& error, const CLI::App& command) {
  std::string message = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return unexpected(command);
  // A misspelt flag is missing under its right name.
  const std::vector<std::string> extra = command.remaining();
  const bool misspelt =
      std::any_of(extra.begin(), extra.end(), [](const std::string& word) { return word.starts_with("--"); });
  if (misspelt) return unexpected(command);
  const CLI::Option* missing = command.get_option_no_throw(message.substr(0, message.find(' ')));
  if (error.get_name() != "RequiredError" || missing == nullptr || !missing->get_positional()) return message;
  return missing->get_name(true) + " is required: " + missing->get_description();
}

// The command line in a form a shell would accept again.
std::string typed(const std::string& name, const std::vector<std::string>& arguments) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+@%";
  std::string text = name;
  for (const std::string& argument : arguments) {
    const bool quote = argument.empty() || argument.find_first_not_of(plain) != std::string::npos;
    std::string inner;
    for (const char c : argument) inner += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += quote ? " '" + inner + "'" : " " + argument;
  }
  return text;
}

int parse_and_run(const Program& program, std::vector<std::string> arguments) {
  CLI::App app(program.title, program.name);
  app.formatter(std::make_shared<ScreenFormatter>());
  app.set_version_flag("--version", "mmo " + version());
  app.require_subcommand(1);
  app.footer(common_help);
  Session session;
  session.common.command = typed(program.name, arguments);
  session.processes = program.processes;
  for (const AddCommand add : program.commands) add(app, session);

  if (arguments.empty() || arguments[0].empty()) arguments = {"--help"};
  ConfiguredArguments given;
  if (const CLI::App* command = find_command(app, arguments[0])) {
    given = apply_config(app, *command, {arguments.begin() + 1, arguments.end()});
    arguments.resize(1);
    arguments.insert(arguments.end(), given.arguments.begin(), given.arguments.end());
  }
  if (arguments[0].front() != '-' && find_command(app, arguments[0]) == nullptr) {
    std::vector<std::string> known;
    for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
    const std::string meant = nearest(arguments[0], known);
    throw UsageError(fmt::format("no command '{}'{}; known: {}", arguments[0],
                                 meant.empty() ? "" : fmt::format(", did you mean {}?", meant),
                                 fmt::join(known, ", ")));
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& request) {  // --help, --version
    const auto chosen = app.get_subcommands();
    const bool version = request.get_name() == "CallForVersion";
    print(version ? std::string(request.what()) + "\n" : chosen.empty() ? app.help() : chosen[0]->help());
    flush_output();
    return 0;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    std::string message = chosen.empty() ? error.what() : what_is_wrong(error, *chosen[0]);
    for (const std::string& note : given.notes) message += "; " + note;
    const bool from_file = given.configured.contains(message.substr(0, message.find_first_of(": ")));
    return fail(fmt::format("{}{}; see {} {}--help", from_file ? given.file + ": " : "", message,
                            program.name, chosen.empty() ? "" : chosen[0]->get_name() + " "),
                ExitCode::usage);
  }
  warn_all(session.common, given.notes);
  set_threads(session.common.threads > 0 ? session.common.threads : program.threads);
  if (!session.common.max_input.empty()) set_input_limit(parse_size(session.common.max_input, "--max-input"));
  handle_interrupts();
  if (program.processes->size() > 1 && !session.takes_several)
    throw UsageError(fmt::format("mmo {} is work for one process: start it without mpirun", arguments[0]));
  if (program.processes->rank() > 0) session.common.quiet = true;
  session.run();
  flush_output();
  return 0;
}

}  // namespace

int run_program(const Program& program, const std::vector<std::string>& arguments) {
  const auto report = [&](const std::string& message, ExitCode code) {
    if (program.before_error) program.before_error();
    const std::size_t rank = program.processes->rank();
    return fail(rank > 0 ? fmt::format("process {}: {}", rank, message) : message, code);
  };
  try {
    return parse_and_run(program, arguments);
  } catch (const ExistsError& error) {
    return fail(fmt::format("{}; add --force to replace it", error.what()), error.code());
  } catch (const Error& error) {
    return report(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return report("not enough memory", ExitCode::internal);
  } catch (const std::exception& error) {
    return report(fmt::format("internal fault, please report it: {}", error.what()), ExitCode::internal);
  }
}

}  // namespace mmo::cli
