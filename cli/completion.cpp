// mmo completion: a script for bash, zsh or fish, made from the program's own commands and flags.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "cli/command.h"
#include "cli/terminal.h"
#include "mmo/core/error.h"
#include "mmo/data/load.h"
#include "mmo/metric/metric.h"
#include "mmo/search/train.h"

namespace mmo::cli {
namespace {

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Flags whose values come from a list; all others complete file names.
std::map<std::string, std::string> value_lists() {
  std::vector<std::string> methods;
  for (const MethodInfo& method : known_methods()) methods.push_back(method.name);
  return {{"--metric", join(known_metrics())},
          {"--method", join(methods)},
          {"--effort", "quick standard thorough"},
          {"--format", format_names(FormatUse::read)},
          {"--to", format_names(FormatUse::write)},
          {"--as", "names indicator jsonl svmlight"},
          {"--index-base", "auto 0 1"},
          {"--zero-division", "0 1 nan"},
          {"--part", "train test train90 test90"}};
}

std::vector<std::string> flags_of(const CLI::App* command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (!option->get_positional()) flags.push_back("--" + name);
    }
  }
  return flags;
}

std::string bash_script(const CLI::App& app) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : app.get_subcommands({})) {
    commands += (commands.empty() ? "" : " ") + command->get_name();
    cases += fmt::format("    {}) flags=\"{}\" ;;\n", command->get_name(), join(flags_of(command)));
  }
  std::string values;
  for (const auto& [flag, words] : value_lists()) {
    values += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n", flag, words);
  }
  return fmt::format(
      "# bash completion of mmo; use: source <(mmo completion bash)\n"
      "_mmo() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" before=\"${{COMP_WORDS[COMP_CWORD-1]}}\" flags=\"\"\n"
      "  if [ \"$COMP_CWORD\" = 1 ]; then COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$word\")); "
      "return; fi\n"
      "  case \"$before\" in\n{}  esac\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  case \"$word\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _mmo mmo\n",
      commands, values, cases);
}

std::string zsh_script(const CLI::App& app) {
  return "# zsh completion of mmo; use: source <(mmo completion zsh)\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_script(app);
}

std::string fish_text(std::string text) {
  for (std::size_t at = text.find('\''); at != std::string::npos; at = text.find('\'', at + 2))
    text.insert(at, "\\");
  return "'" + text + "'";
}

std::string fish_script(const CLI::App& app) {
  std::string text = "# fish completion of mmo; use: mmo completion fish | source\n";
  const auto values = value_lists();
  for (const CLI::App* command : app.get_subcommands({})) {
    text += fmt::format("complete -c mmo -n __fish_use_subcommand -f -a {} -d {}\n", command->get_name(),
                        fish_text(command->get_description()));
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_positional()) continue;
      for (const std::string& name : option->get_lnames()) {
        const auto list = values.find("--" + name);
        text += fmt::format("complete -c mmo -n '__fish_seen_subcommand_from {}' -l {} -d {}{}{}\n",
                            command->get_name(), name, fish_text(option->get_description()),
                            option->get_expected_max() == 0 ? "" : " -r",
                            list == values.end() ? "" : " -f -a " + fish_text(list->second));
      }
    }
  }
  return text;
}

void run_completion(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") {
    print(bash_script(app));
  } else if (shell == "zsh") {
    print(zsh_script(app));
  } else if (shell == "fish") {
    print(fish_script(app));
  } else {
    throw UsageError(fmt::format("no completion for '{}'; use bash, zsh or fish", shell));
  }
}

}  // namespace

void add_completion(CLI::App& app, Session& session) {
  auto* command = add_command(app, session, "completion", "Print a completion script for bash, zsh or fish",
                              "Examples:\n"
                              "  source <(mmo completion bash)\n"
                              "  source <(mmo completion zsh)\n"
                              "  mmo completion fish | source");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL,--shell", *shell, "bash, zsh or fish")->required();
  command->callback(
      [&app, &session, shell] { session.run = [&app, shell] { run_completion(app, *shell); }; });
}

}  // namespace mmo::cli
