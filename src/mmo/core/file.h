// Reads files, standard input, pipes and devices, unpacking gzip and zstd.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "mmo/core/error.h"

namespace mmo {

// The whole content of a file, kept alive by this object. "-" is standard input. Gzip and zstd are recognised
// by their magic bytes, not by the file's name; a truncated or corrupt stream throws DataError.
class FileContent {
 public:
  static FileContent open(const std::string& path);
  // At least the first `bytes` bytes, or all there are: enough to recognise the format. Not for pipes, whose
  // start can't be read twice.
  static FileContent open_start(const std::string& path, std::size_t bytes);
  static FileContent from_string(std::string text, std::string name);

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  [[nodiscard]] const std::string& name() const { return name_; }  // for messages: path or "standard input"

 private:
  static FileContent read_raw(const std::string& path, std::size_t enough);

  std::shared_ptr<const void> owner_;  // the memory behind bytes_
  std::string_view bytes_;
  std::string name_;
};

}  // namespace mmo
