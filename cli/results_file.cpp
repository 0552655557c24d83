#include "cli/results_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "mmo/core/atomic_file.h"
#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/core/json.h"

namespace mmo::cli {

ResultsFile::ResultsFile(std::string path, std::string command, std::string key)
    : path_(std::move(path)), command_(std::move(command)), key_(std::move(key)) {}

ResultsFile::Json ResultsFile::read() const {
  const FileContent content = FileContent::open(path_);
  Json results;
  try {
    results = parse_ordered_json(content.bytes());
  } catch (const JsonError&) {  // refused below
  }
  if (!results.is_object() || !results.contains(key_))
    throw DataError(path_, 0, fmt::format("not the results of `{}`; name another file with --out", command_));
  return results;
}

ResultsFile::Json ResultsFile::read_if_there() const {
  return std::filesystem::exists(path_) ? read() : Json::object();
}

void ResultsFile::save(const Json& results) const {
  AtomicFile file(path_, true);
  file.write(results.dump(1) + "\n");
  file.commit();
}

void ResultsFile::run(const std::function<void()>& study, bool goes_on) const {
  try {
    study();
  } catch (const Interrupted&) {
    if (!std::filesystem::exists(path_)) throw;
    throw Interrupted(
        path_ + " holds the finished cells" +
        (goes_on ? ", and the same command resumes from it" : "; without --again it resumes from them"));
  }
}

}  // namespace mmo::cli
