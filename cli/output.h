// Outputs that appear together or not at all.
#pragma once

#include <filesystem>
#include <string>

namespace mmo::cli {

// Throws IoError now rather than after the work: the file exists and !force, or its folder is missing or not
// writable. "-" (standard output) always passes.
void require_writable(const std::string& path, bool force);

// A hidden folder beside `target`, where files are written under their final names; commit() moves them all
// into the target's folder. Without commit() the folder and its files are removed.
class StagedFiles {
 public:
  explicit StagedFiles(const std::filesystem::path& folder);
  ~StagedFiles();
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;

  // Where to write the file that will be called `name`.
  [[nodiscard]] std::string path(const std::string& name) const { return (stage_ / name).string(); }
  // Throws IoError if one of the files exists and !force; then nothing has been moved.
  void commit(bool force);

 private:
  std::filesystem::path folder_, stage_;
};

}  // namespace mmo::cli
