#include "cli/deep.h"

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/sibling.h"
#include "mmo/core/error.h"

namespace mmo::cli {
namespace {

bool asks_for_help(const std::string& argument) { return argument == "--help" || argument == "-h"; }

}  // namespace

bool is_deep(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) return false;
  if (arguments[0] == "paper") return arguments[1] == "deep";
  return arguments[0] == "deep" && !asks_for_help(arguments[1]);
}

int run_deep(const std::vector<std::string>& arguments) {
  std::vector<std::string> own(arguments.begin() + (arguments[0] == "paper" ? 2 : 1), arguments.end());
  if (arguments[0] == "paper") own.insert(own.begin(), "paper");
  return become_sibling("mmo-deep", own, "deep networks are an optional part: build it with `make deep`");
}

void add_deep(CLI::App& app, Session& session) {
  auto* command =
      add_command(app, session, "deep", "Networks trained for the metric (optional: make deep)",
                  "Commands: features, train, predict, evaluate, paper; see mmo deep COMMAND --help\n\n"
                  "Examples:\n"
                  "  mmo deep features news/ --part train --backbone minilm/ --out train.npz\n"
                  "  mmo deep train train.npz --metric macro-f1 --model news.mmod\n"
                  "  mmo deep evaluate news.mmod test.npz");
  command->callback([&session] {
    session.run = [] { throw UsageError("mmo deep needs a command; see mmo deep --help"); };
  });
}

}  // namespace mmo::cli
