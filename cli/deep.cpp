#include "cli/deep.h"

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/command.h"
#include "mmo/core/error.h"

namespace mmo::cli {
namespace {

constexpr auto deep_program = "mmo-deep";

std::filesystem::path sibling() {
  std::error_code failed;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? deep_program : self.parent_path() / deep_program;
}

bool asks_for_help(const std::string& argument) { return argument == "--help" || argument == "-h"; }

}  // namespace

bool is_deep(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) return false;
  if (arguments[0] == "paper") return arguments[1] == "deep";
  return arguments[0] == "deep" && !asks_for_help(arguments[1]);
}

int run_deep(const std::vector<std::string>& arguments) {
  const std::string program = sibling().string();
  std::vector<std::string> words{program};
  if (arguments[0] == "paper") words.emplace_back("paper");
  words.insert(words.end(), arguments.begin() + (arguments[0] == "paper" ? 2 : 1), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  const bool missing = errno == ENOENT;
  fmt::print(stderr, "mmo: error: {}: {}{}\n", program, std::strerror(errno),
             missing ? "; deep networks are an optional part: build it with `make deep`" : "");
  return static_cast<int>(missing ? ExitCode::usage : ExitCode::io);
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
