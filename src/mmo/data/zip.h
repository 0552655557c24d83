// As much of the zip format as .npz files need: reading stored and deflated members (zip64 too), writing
// stored ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mmo/core/atomic_file.h"

namespace mmo {

struct ZipMember {
  std::string name;
  std::uint64_t compressed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t header_offset = 0;
  std::uint32_t crc = 0;
  std::uint16_t method = 0;  // 0 stored, 8 deflated
  bool encrypted = false;
};

// A member's bytes: a view into the archive if it is stored, else inflated into `owned`.
struct ZipBytes {
  std::string owned;
  std::string_view stored;
  bool is_stored = false;
  [[nodiscard]] std::string_view view() const { return is_stored ? stored : std::string_view(owned); }
};

// Reads the directory; `archive` must outlive it. All faults throw DataError naming `file`.
class ZipReader {
 public:
  ZipReader(std::string_view archive, std::string file);
  [[nodiscard]] const std::vector<ZipMember>& members() const { return members_; }
  // Sizes are checked before anything is allocated, the checksum afterwards.
  [[nodiscard]] ZipBytes read(const ZipMember& member) const;

 private:
  std::string_view archive_;
  std::string file_;
  std::vector<ZipMember> members_;
  mutable std::uint64_t unpacked_ = 0;  // of all members read so far
};

// Writes members one after the other; always with zip64 sizes, as numpy does, so that no size is special.
class ZipWriter {
 public:
  explicit ZipWriter(AtomicFile& file) : file_(file) {}
  // The member's content is the parts one after the other.
  void add(const std::string& name, std::span<const std::string_view> parts);
  void finish();  // writes the directory; the file is the caller's to commit

 private:
  void write(std::string_view bytes);

  AtomicFile& file_;
  std::uint64_t written_ = 0;
  std::vector<ZipMember> members_;
};

}  // namespace mmo
