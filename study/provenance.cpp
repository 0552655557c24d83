#include "study/provenance.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <ctime>
#include <fstream>
#include <thread>

#include "mmo/core/version.h"

namespace mmo::study {
namespace {

std::string processor() {
  std::ifstream lines("/proc/cpuinfo");
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

nlohmann::ordered_json provenance() {
  return {{"build", fmt::format("{} ({})", version(), source_revision())},
          {"date", fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)))},
          {"machine", fmt::format("{}, {} cores", processor(), std::thread::hardware_concurrency())}};
}

std::string provenance_text(const nlohmann::ordered_json& made, const std::string& command) {
  if (made.empty()) return fmt::format("Measured by `{}`; build and date were not recorded.", command);
  const auto part = [&](const char* key) { return made.value(key, std::string("unknown")); };
  return fmt::format("Measured by `{}`: mmo {}, {}, {}.", command, part("build"), part("date"),
                     part("machine"));
}

}  // namespace mmo::study
