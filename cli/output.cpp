#include "cli/output.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "mmo/core/error.h"

namespace mmo::cli {

namespace fs = std::filesystem;

namespace {

fs::path parent(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

void refuse_existing(const fs::path& path, bool force) {
  if (!force && fs::exists(path))
    throw IoError(fmt::format("{} exists; add --force to replace it", path.string()));
}

}  // namespace

void require_writable(const std::string& path, bool force) {
  if (path == "-") return;
  if (fs::is_directory(path)) throw IoError(fmt::format("{} is a folder; give a file's name", path));
  refuse_existing(path, force);
  const fs::path folder = parent(path);
  if (!fs::is_directory(folder))
    throw IoError(fmt::format("{}: the folder {} does not exist", path, folder.string()));
  if (access(folder.c_str(), W_OK) != 0)
    throw IoError(fmt::format("{}: {}", folder.string(), std::strerror(errno)));
}

StagedFiles::StagedFiles(const fs::path& folder) : folder_(folder.empty() ? fs::path(".") : folder) {
  if (!fs::is_directory(folder_))
    throw IoError(fmt::format("the folder {} does not exist", folder_.string()));
  std::string pattern = (folder_ / ".mmo-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw IoError(fmt::format("{}: {}", folder_.string(), std::strerror(errno)));
  stage_ = pattern;
}

StagedFiles::~StagedFiles() {
  std::error_code ignored;
  fs::remove_all(stage_, ignored);
}

void StagedFiles::commit(bool force) {
  std::vector<fs::path> names;
  for (const auto& entry : fs::directory_iterator(stage_)) names.push_back(entry.path().filename());
  for (const fs::path& name : names) refuse_existing(folder_ / name, force);
  for (const fs::path& name : names) {
    std::error_code error;
    fs::rename(stage_ / name, folder_ / name, error);
    if (error) throw IoError(fmt::format("{}: {}", (folder_ / name).string(), error.message()));
  }
}

}  // namespace mmo::cli
