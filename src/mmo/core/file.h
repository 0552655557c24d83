// Bytes in and out. Reading maps the file (or inflates gzip / zstd, or drains standard input); writing
// goes to a temporary file beside the target that replaces it only when complete.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace mmo {

// The whole content of a file, kept alive by this object. "-" is standard input. Gzip and zstd are
// recognised by their magic bytes, whatever the name; a truncated or corrupt stream throws DataError.
class FileContent {
 public:
  static FileContent open(const std::string& path);
  static FileContent from_string(std::string text, std::string name);

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  [[nodiscard]] const std::string& name() const { return name_; }  // for messages: path or "standard input"

 private:
  std::shared_ptr<const void> owner_;  // the mapping or the buffer behind bytes_
  std::string_view bytes_;
  std::string name_;
};

// Writes a file that appears whole or not at all: data goes to a temporary file in the same directory,
// commit() flushes it to disk and renames it over `path`; without commit() the temporary is removed.
// A path ending in .gz or .zst is compressed. "-" writes to standard output.
class AtomicFile {
 public:
  // Throws IoError if `path` exists and !overwrite ("… exists; add --force to replace it").
  AtomicFile(const std::string& path, bool overwrite);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mmo
