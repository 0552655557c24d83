// Files that appear whole or not at all. Bytes go to a temporary file next to the target, which takes the
// target's place once complete. Every command and binding writes through this file, so one set of rules
// holds:
// - nothing that exists is replaced unless asked to, not even if it appeared while we worked;
// - a link's target is replaced, not the link; a replaced file keeps its mode; a read-only file is refused;
// - devices, pipes and descriptors (/dev/stdout) are written to, never replaced;
// - what a killed run left behind is removed by the next one that writes to the folder.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mmo {

// Throws IoError now rather than after the work if AtomicFile would refuse `path` ("-" never).
void require_writable(const std::string& path, bool overwrite);

// Whether `path` is written to directly: standard output, a device, a pipe or a descriptor.
[[nodiscard]] bool is_stream(const std::string& path);

// A complete temporary file, ready to replace its target; removed unless publish() is called.
class StagedFile {
 public:
  StagedFile(const std::string& target, const std::string& name, bool overwrite);
  StagedFile(StagedFile&&) noexcept;
  StagedFile& operator=(StagedFile&&) noexcept;
  ~StagedFile();

  [[nodiscard]] int descriptor() const;
  void sync() const;
  void publish();
  // Undoes publish(), as far as the file system allows.
  void take_back() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Files that appear together: a member's commit() only completes it, the set's commit() publishes them all.
// If one can't be published, those before it are taken back.
class FileSet {
 public:
  void add(StagedFile file) { files_.push_back(std::move(file)); }
  void commit();

 private:
  std::vector<StagedFile> files_;
};

// A path ending in .gz or .zst is compressed. "-" is standard output.
class AtomicFile {
 public:
  // Throws ExistsError (core/write_target.h) if `path` exists and !overwrite. A member of `together` appears
  // when that set is committed.
  AtomicFile(const std::string& path, bool overwrite, FileSet* together = nullptr);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  // Flushes what has been written so far, for anyone reading along.
  void flush();
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mmo
