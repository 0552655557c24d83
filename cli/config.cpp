#include "cli/config.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/command.h"
#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/core/json.h"
#include "mmo/core/nearest.h"

namespace mmo::cli {
namespace {

struct Entry {
  std::string key;
  std::vector<std::string> values;
};

std::string scalar_text(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void flatten(const nlohmann::json& value, const std::string& key, std::vector<Entry>& out) {
  if (value.is_object()) {
    for (const auto& [name, inner] : value.items())
      flatten(inner, key.empty() ? name : fmt::format("{}.{}", key, name), out);
    return;
  }
  Entry entry{key, {}};
  if (value.is_array()) {
    for (const auto& item : value) entry.values.push_back(scalar_text(item));
  } else {
    entry.values.push_back(scalar_text(value));
  }
  out.push_back(std::move(entry));
}

std::vector<Entry> read_json(const std::string& text, const std::string& path) {
  std::vector<Entry> entries;
  try {
    flatten(parse_json(text), "", entries);
  } catch (const nlohmann::json::exception& error) {
    throw UsageError(fmt::format("{}: not valid JSON: {}", path, error.what()));
  }
  return entries;
}

std::vector<Entry> read_toml(const std::string& text, const std::string& path) {
  std::istringstream stream(text);
  std::vector<Entry> entries;
  for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(stream)) {
    if (item.name == "++" || item.name == "--") continue;  // CLI11's marks for a section's start and end
    for (const std::string& value : item.inputs) {
      if (!value.empty() && value.front() == '"') {
        throw UsageError(fmt::format("{}: the value of '{}' is not closed ('#' in text needs a JSON file)",
                                     path, item.fullname()));
      }
    }
    entries.push_back({item.fullname(), item.inputs});
  }
  return entries;
}

std::vector<Entry> read_entries(const std::string& path) {
  const FileContent content = FileContent::open(path);
  const std::string text(content.bytes());
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  return start != std::string::npos && text[start] == '{' ? read_json(text, path) : read_toml(text, path);
}

bool is_flag(const CLI::Option* option) { return option->get_expected_max() == 0; }

const CLI::Option* find_option(const CLI::App& command, const std::string& argument) {
  return argument.size() > 1 && argument.front() == '-' ? command.get_option_no_throw(argument) : nullptr;
}

// What the command line itself says.
struct Given {
  std::set<const CLI::Option*> options;
  std::size_t positionals = 0;
  std::string config;
};

Given scan(const CLI::App& command, const std::vector<std::string>& arguments) {
  Given given;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::size_t equals = arguments[i].find('=');
    const CLI::Option* option = find_option(command, arguments[i].substr(0, equals));
    if (option == nullptr) {
      given.positionals += arguments[i] == "-" || arguments[i].empty() || arguments[i].front() != '-' ? 1 : 0;
      continue;
    }
    given.options.insert(option);
    const bool takes_next = !is_flag(option) && equals == std::string::npos;
    if (option->check_lname("config")) {
      given.config =
          takes_next ? (i + 1 < arguments.size() ? arguments[i + 1] : "") : arguments[i].substr(equals + 1);
    }
    if (takes_next) ++i;
  }
  return given;
}

[[noreturn]] void unknown_key(const CLI::App& command, const std::string& path, const std::string& key) {
  std::vector<std::string> known;
  for (const std::string& name : long_flags(command)) {
    if (name != "help" && name != "config") known.push_back(name);
  }
  const std::string meant = nearest(key, known);
  throw UsageError(
      fmt::format("{}: '{}' is not an option of mmo {}{}; known: {}", path, key, command.get_name(),
                  meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant), fmt::join(known, ", ")));
}

const CLI::Option* option_of(const CLI::App& command, const std::string& key) {
  if (key == "config" || key == "help") return nullptr;
  return command.get_option_no_throw("--" + key);
}

// One file may serve several commands: its general keys apply to those that have the option.
bool is_for_others(const CLI::App& app, const std::string& key) {
  const auto having =
      app.get_subcommands([&](const CLI::App* command) { return option_of(*command, key) != nullptr; });
  return !having.empty();
}

// A key left to other commands, but close to an option of this one, may be a typo.
void add_note_if_misspelt(const CLI::App& command, const std::string& path, const std::string& key,
                          std::vector<std::string>& notes) {
  for (const std::string& name : long_flags(command)) {
    if (edit_distance(key, name) > 1) continue;
    notes.push_back(
        fmt::format("{}: '{}' is not an option of mmo {} and has no effect here (did you mean {}?)", path,
                    key, command.get_name(), name));
  }
}

std::string join(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ",") + value;
  return text;
}

}  // namespace

ConfiguredArguments apply_config(const CLI::App& app, const CLI::App& command,
                                 std::vector<std::string> arguments) {
  const Given given = scan(command, arguments);
  if (given.config.empty()) return {std::move(arguments), {}, {}, {}};

  ConfiguredArguments out{{}, given.config, {}, {}};
  std::vector<std::string> positionals;
  for (const Entry& entry : read_entries(given.config)) {
    std::string key = entry.key;
    const std::string section = key.substr(0, key.find('.'));
    const bool in_section = section.size() < key.size() && find_command(app, section) != nullptr;
    if (in_section) {
      if (section != command.get_name()) continue;
      key = key.substr(section.size() + 1);
    }
    const bool setting = key.starts_with("set.");
    const std::string name = setting ? "set" : key;
    const CLI::Option* option = option_of(command, name);
    if (option == nullptr) {
      if (!in_section && is_for_others(app, name)) {
        add_note_if_misspelt(command, given.config, name, out.notes);
        continue;
      }
      unknown_key(command, given.config, entry.key);
    }
    out.configured.insert("--" + name);
    if (setting) {
      out.arguments.push_back("--set=" + key.substr(4) + "=" + join(entry.values));
    } else if (key == "set") {
      for (const std::string& value : entry.values) out.arguments.push_back("--set=" + value);
    } else if (!given.options.contains(option)) {
      auto& list = option->get_positional() ? positionals : out.arguments;
      list.push_back("--" + key + "=" + join(entry.values));
    }
  }
  // Positionals on the command line fill the first places; the file may fill the rest.
  std::size_t place = 0;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional() || place++ < given.positionals) continue;
    for (const std::string& text : positionals) {
      if (option->check_lname(text.substr(2, text.find('=') - 2))) out.arguments.push_back(text);
    }
  }
  out.arguments.insert(out.arguments.end(), arguments.begin(), arguments.end());
  return out;
}

}  // namespace mmo::cli
