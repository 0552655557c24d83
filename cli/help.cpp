#include "cli/help.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "cli/command.h"

namespace mmo::cli {
namespace {

constexpr std::size_t name_width = 24;

// "--labels SPEC", "--json", "DATA".
std::string shown_name(const CLI::Option* option) {
  std::string name = option->get_positional() ? option->get_name(true) : option->get_name();
  if (option->get_positional() || option->get_expected_max() == 0) return name;
  const std::string type = option->get_type_name();  // "N:INT in [2 - 1000]" where values are checked
  return name + " " + type.substr(0, type.find(':'));
}

std::string usage(const CLI::App* app) {
  std::string line = "mmo " + app->get_name();
  for (const CLI::Option* option : app->get_options()) {
    if (option->get_positional()) {
      line += option->get_required() ? " " + option->get_name(true) : " [" + option->get_name(true) + "]";
    } else if (option->get_required()) {
      line += " " + shown_name(option);
    }
  }
  return line + " [options]";
}

std::string command_help(const CLI::App* app) {
  std::string text = fmt::format("{}\n\nUsage: {}\n\n", app->get_description(), usage(app));
  std::string common;
  std::string reading;
  for (const CLI::Option* option : app->get_options()) {
    if (option->check_lname("help")) continue;
    if (option->get_group() == common_group) {
      common += " " + shown_name(option);
    } else if (option->get_group() == reading_group) {
      reading += " " + shown_name(option);
    } else {
      text += fmt::format("  {:<{}}{}\n", shown_name(option), name_width, option->get_description());
    }
  }
  if (!reading.empty()) text += fmt::format("\nReading:{} (mmo inspect --help)", reading);
  text += fmt::format("\nCommon:{} (mmo --help)\n", common);
  return text + (app->get_footer().empty() ? "" : "\n" + app->get_footer() + "\n");
}

std::string program_help(const CLI::App* app) {
  std::string text =
      fmt::format("{}\n\nUsage: mmo COMMAND [options]      mmo COMMAND --help\n\n", app->get_description());
  for (const CLI::App* command : app->get_subcommands({})) {
    const std::string& summary = command->get_description();
    text += fmt::format("  {:<12}{}\n", command->get_name(), summary);
  }
  return text + "\n" + app->get_footer() + "\n";
}

}  // namespace

std::string ScreenFormatter::make_help(const CLI::App* app, std::string /*name*/,
                                       CLI::AppFormatMode /*mode*/) const {
  return app->get_parent() == nullptr ? program_help(app) : command_help(app);
}

}  // namespace mmo::cli
