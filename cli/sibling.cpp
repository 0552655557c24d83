#include "cli/sibling.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "mmo/core/error.h"

namespace mmo::cli {
namespace {

std::filesystem::path beside(const std::string& name) {
  std::error_code failed;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::filesystem::path(name) : self.parent_path() / name;
}

}  // namespace

int become_sibling(const std::string& name, const std::vector<std::string>& arguments,
                   const std::string& if_missing) {
  const std::string program = beside(name).string();
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  const bool missing = errno == ENOENT;
  fmt::print(stderr, "mmo: error: {}: {}{}\n", program, std::strerror(errno),
             missing ? "; " + if_missing : "");
  return static_cast<int>(missing ? ExitCode::usage : ExitCode::io);
}

}  // namespace mmo::cli
