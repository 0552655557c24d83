// Bytes as a file with an ending of its own, for readers that take a path.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace mmo::fuzz {

class InputFile {
 public:
  InputFile(const std::string& bytes, const std::string& ending) {
    const std::filesystem::path memory("/dev/shm");
    const auto folder = is_directory(memory) ? memory : std::filesystem::temp_directory_path();
    path_ = (folder / ("mmo-fuzz-" + std::to_string(getpid()) + ending)).string();
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~InputFile() { unlink(path_.c_str()); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace mmo::fuzz
