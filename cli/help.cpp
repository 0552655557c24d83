#include "cli/help.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/command.h"

namespace mmo::cli {
namespace {

constexpr std::size_t name_width = 24;
constexpr std::size_t widest_line = 90;  // not counting what is in brackets

// "--labels SPEC", "--json", "DATA".
std::string shown_name(const CLI::Option* option) {
  std::string name = option->get_positional() ? option->get_name(true) : option->get_name();
  if (option->get_positional() || option->get_expected_max() == 0) return name;
  const std::string type = option->get_type_name();  // "N:INT in [2 - 1000]" if values are checked
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

// "Reading: --format F … (mmo inspect --help)", broken into lines.
std::string option_list(const std::string& heading, const std::vector<std::string>& names,
                        const std::string& more) {
  std::string text;
  std::string line = heading;
  for (std::string item : names) {
    item.insert(0, 1, ' ');
    if (line.size() + item.size() > widest_line) {
      text += line + "\n";
      line = " ";
    }
    line += item;
  }
  return text + line + " (" + more + ")";
}

std::string command_help(const CLI::App* app) {
  std::string text = fmt::format("{}\n\nUsage: {}\n\n", app->get_description(), usage(app));
  std::vector<std::string> common;
  std::vector<std::string> reading;
  for (const CLI::Option* option : app->get_options()) {
    if (option->check_lname("help")) continue;
    if (option->get_group() == common_group) {
      common.push_back(shown_name(option));
    } else if (option->get_group() == reading_group) {
      reading.push_back(shown_name(option));
    } else {
      text += fmt::format("  {:<{}}{}\n", shown_name(option), name_width, option->get_description());
    }
  }
  if (!reading.empty()) text += "\n" + option_list("Reading:", reading, "mmo inspect --help");
  text += "\n" + option_list("Common:", common, "mmo --help") + "\n";
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
