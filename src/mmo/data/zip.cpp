// Field layout: PKWARE's APPNOTE 6.3, sections 4.3.7 (local header), 4.3.12 (directory), 4.3.14-4.3.16 (end
// records), 4.5.3 (zip64 extra field). All numbers are little-endian.
#include "mmo/data/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "mmo/core/error.h"
#include "mmo/core/input_limit.h"
#include "mmo/data/label_columns.h"

namespace mmo {
namespace {

constexpr std::uint32_t local_signature = 0x04034b50;
constexpr std::uint32_t directory_signature = 0x02014b50;
constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint32_t end64_signature = 0x06064b50;
constexpr std::uint32_t locator64_signature = 0x07064b50;
constexpr std::size_t local_size = 30;
constexpr std::size_t directory_entry_size = 46;
constexpr std::size_t end_size = 22;
constexpr std::size_t locator64_size = 20;
constexpr std::size_t end64_size = 56;
constexpr std::uint16_t zip64_extra = 1;
constexpr std::uint16_t alignment_extra = 0xD935;
constexpr std::size_t field_head = 4;    // of an extra field: its kind and size
constexpr std::size_t zip64_field = 20;  // with its head
constexpr std::size_t content_alignment = 64;
constexpr std::uint16_t version_zip64 = 45;
constexpr std::uint32_t see_zip64 = 0xFFFFFFFF;     // "the true number is in the zip64 field"
constexpr std::uint64_t best_deflate_ratio = 1032;  // no deflate stream expands by more

template <class T>
T little(std::string_view bytes, std::size_t at) {
  T value = 0;
  for (std::size_t k = sizeof(T); k-- > 0;) {
    value = static_cast<T>((std::uint64_t{value} << 8) | static_cast<unsigned char>(bytes[at + k]));
  }
  return value;
}

template <class T>
void put(std::string& out, T value) {
  for (std::size_t k = 0; k < sizeof(T); ++k)
    out += static_cast<char>(std::uint64_t{value} >> (8 * k) & 0xFF);
}

std::uint32_t checksum(std::uint32_t crc, std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

struct Directory {
  std::uint64_t count = 0;
  std::uint64_t offset = 0;
};

class DirectoryParser {
 public:
  DirectoryParser(std::string_view archive, const std::string& file) : archive_(archive), file_(file) {}

  std::vector<ZipMember> members() {
    Directory directory = find_directory();
    std::vector<ZipMember> found;
    std::uint64_t at = directory.offset;
    for (; directory.count > 0; --directory.count) {
      const std::string_view entry = part(at, directory_entry_size);
      if (little<std::uint32_t>(entry, 0) != directory_signature)
        broken("the archive's directory is damaged");
      const std::size_t name_size = little<std::uint16_t>(entry, 28);
      const std::size_t extra_size = little<std::uint16_t>(entry, 30);
      const std::size_t comment_size = little<std::uint16_t>(entry, 32);
      ZipMember member;
      member.encrypted = (little<std::uint16_t>(entry, 8) & 1) != 0;
      member.method = little<std::uint16_t>(entry, 10);
      member.crc = little<std::uint32_t>(entry, 16);
      member.compressed_size = little<std::uint32_t>(entry, 20);
      member.size = little<std::uint32_t>(entry, 24);
      member.header_offset = little<std::uint32_t>(entry, 42);
      member.name = part(at + directory_entry_size, name_size);
      read_zip64(part(at + directory_entry_size + name_size, extra_size), member);
      found.push_back(std::move(member));
      at += directory_entry_size + name_size + extra_size + comment_size;
    }
    return found;
  }

 private:
  [[noreturn]] void broken(const std::string& what) const {
    throw DataError(file_, 0, what + ": the .npz file is cut short or damaged; write or copy it again");
  }

  [[nodiscard]] std::string_view part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > archive_.size() || size > archive_.size() - offset)
      broken("the archive's directory is damaged");
    return archive_.substr(offset, size);
  }

  // The end record is the last thing in the file but for a comment of at most 65535 bytes.
  Directory find_directory() const {
    constexpr std::size_t farthest = end_size + std::numeric_limits<std::uint16_t>::max();
    for (std::size_t back = end_size; back <= std::min(farthest, archive_.size()); ++back) {
      const std::size_t at = archive_.size() - back;
      if (little<std::uint32_t>(archive_, at) != end_signature) continue;
      Directory directory{little<std::uint16_t>(archive_, at + 10), little<std::uint32_t>(archive_, at + 16)};
      const bool zip64 =
          at >= locator64_size && little<std::uint32_t>(archive_, at - locator64_size) == locator64_signature;
      if (zip64) {
        const auto end64_at = little<std::uint64_t>(archive_, at - locator64_size + 8);
        const std::string_view end64 = part(end64_at, end64_size);
        if (little<std::uint32_t>(end64, 0) != end64_signature)
          broken("the archive's zip64 record is damaged");
        directory = {little<std::uint64_t>(end64, 32), little<std::uint64_t>(end64, 48)};
      }
      return directory;
    }
    broken("no zip directory at the end of the file");
  }

  // The zip64 field holds, in this order, those of size, compressed size and offset that did not fit.
  void read_zip64(std::string_view extra, ZipMember& member) const {
    while (extra.size() >= 4) {
      const auto id = little<std::uint16_t>(extra, 0);
      const std::size_t size = little<std::uint16_t>(extra, 2);
      if (size > extra.size() - 4) return;
      if (id == zip64_extra) {
        std::string_view field = extra.substr(4, size);
        for (std::uint64_t* number : {&member.size, &member.compressed_size, &member.header_offset}) {
          if (*number != see_zip64) continue;
          if (field.size() < 8) broken("the archive's zip64 field is damaged");
          *number = little<std::uint64_t>(field, 0);
          field.remove_prefix(8);
        }
        return;
      }
      extra.remove_prefix(4 + size);
    }
  }

  std::string_view archive_;
  const std::string& file_;
};

// Inflates a raw deflate stream to exactly `size` bytes; false if it does not.
bool inflate_to(std::string_view packed, std::string& out) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  constexpr std::size_t step = std::size_t{1} << 30;  // zlib counts in 32 bits
  std::size_t taken = 0;
  std::size_t made = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const std::size_t in = std::min(step, packed.size() - taken);
    const std::size_t room = std::min(step, out.size() - made);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + made);
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += room - stream.avail_out;
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && made == out.size();
}

}  // namespace

ZipReader::ZipReader(std::string_view archive, std::string file)
    : archive_(archive), file_(std::move(file)), members_(DirectoryParser(archive_, file_).members()) {}

ZipBytes ZipReader::read(const ZipMember& member) const {
  const auto broken = [&](const std::string& what) {
    return DataError(
        file_, 0,
        fmt::format("{} {}: the .npz file is damaged; write or copy it again", shown(member.name), what));
  };
  if (member.encrypted)
    throw DataError(file_, 0, shown(member.name) + " is encrypted: save it without a password");
  if (member.header_offset > archive_.size() || archive_.size() - member.header_offset < local_size ||
      little<std::uint32_t>(archive_, member.header_offset) != local_signature) {
    throw broken("has no header");
  }
  const std::uint64_t start = member.header_offset + local_size +
                              little<std::uint16_t>(archive_, member.header_offset + 26) +
                              little<std::uint16_t>(archive_, member.header_offset + 28);
  if (start > archive_.size() || member.compressed_size > archive_.size() - start)
    throw broken("is cut short");
  const std::string_view packed = archive_.substr(start, member.compressed_size);
  ZipBytes bytes;
  if (member.method == 0) {
    if (member.size != member.compressed_size) throw broken("has two different sizes");
    bytes.stored = packed;
    bytes.is_stored = true;
  } else if (member.method == 8) {
    if (member.size / best_deflate_ratio > packed.size()) throw broken("claims an impossible size");
    unpacked_ += member.size;
    check_input(unpacked_, archive_.size(), "unpack to", file_);
    bytes.owned.resize(member.size);
    if (!inflate_to(packed, bytes.owned)) throw broken("does not decompress");
  } else {
    throw DataError(file_, 0,
                    fmt::format("{} is packed by method {}: save it with numpy.savez or savez_compressed",
                                shown(member.name), member.method));
  }
  if (checksum(0, bytes.view()) != member.crc) throw broken("has a wrong checksum");
  return bytes;
}

void ZipWriter::write(std::string_view bytes) {
  file_.write(bytes);
  written_ += bytes.size();
}

void ZipWriter::add(const std::string& name, std::span<const std::string_view> parts) {
  ZipMember member;
  member.name = name;
  member.header_offset = written_;
  for (const auto bytes : parts) {
    member.size += bytes.size();
    member.crc = checksum(member.crc, bytes);
  }
  member.compressed_size = member.size;
  // A field of zeros before the content (zipalign's), so that readers can map arrays instead of copying them.
  const std::size_t unpadded = local_size + name.size() + zip64_field;
  const std::uint64_t content_at = written_ + unpadded + field_head;
  const std::size_t padding = (content_alignment - content_at % content_alignment) % content_alignment;
  std::string header;
  put(header, local_signature);
  put(header, version_zip64);
  put(header, std::uint16_t{0x0800});  // the name is UTF-8
  put(header, member.method);
  put(header, std::uint32_t{0x00210000});  // time 00:00, date 1980-01-01: equal data gives equal files
  put(header, member.crc);
  put(header, see_zip64);
  put(header, see_zip64);
  put(header, static_cast<std::uint16_t>(name.size()));
  put(header, static_cast<std::uint16_t>(zip64_field + field_head + padding));
  header += name;
  put(header, zip64_extra);
  put(header, std::uint16_t{16});
  put(header, member.size);
  put(header, member.compressed_size);
  put(header, alignment_extra);
  put(header, static_cast<std::uint16_t>(padding));
  header.append(padding, '\0');
  write(header);
  for (const auto bytes : parts) write(bytes);
  members_.push_back(std::move(member));
}

void ZipWriter::finish() {
  const std::uint64_t directory_offset = written_;
  for (const auto& member : members_) {
    std::string entry;
    put(entry, directory_signature);
    put(entry, version_zip64);  // made by
    put(entry, version_zip64);  // needed to read
    put(entry, std::uint16_t{0x0800});
    put(entry, member.method);
    put(entry, std::uint32_t{0x00210000});
    put(entry, member.crc);
    put(entry, see_zip64);
    put(entry, see_zip64);
    put(entry, static_cast<std::uint16_t>(member.name.size()));
    put(entry, std::uint16_t{28});
    put(entry, std::uint16_t{0});  // comment
    put(entry, std::uint16_t{0});  // disk
    put(entry, std::uint16_t{0});  // internal attributes
    put(entry, std::uint32_t{0});  // external attributes
    put(entry, see_zip64);
    entry += member.name;
    put(entry, zip64_extra);
    put(entry, std::uint16_t{24});
    put(entry, member.size);
    put(entry, member.compressed_size);
    put(entry, member.header_offset);
    write(entry);
  }
  const std::uint64_t end64_offset = written_;
  const std::uint64_t count = members_.size();
  std::string end;
  put(end, end64_signature);
  put(end, std::uint64_t{end64_size - 12});
  put(end, version_zip64);
  put(end, version_zip64);
  put(end, std::uint32_t{0});
  put(end, std::uint32_t{0});
  put(end, count);
  put(end, count);
  put(end, end64_offset - directory_offset);
  put(end, directory_offset);
  put(end, locator64_signature);
  put(end, std::uint32_t{0});
  put(end, end64_offset);
  put(end, std::uint32_t{1});
  put(end, end_signature);
  put(end, std::uint16_t{0});
  put(end, std::uint16_t{0});
  put(end, std::uint16_t{0xFFFF});
  put(end, std::uint16_t{0xFFFF});
  put(end, see_zip64);
  put(end, see_zip64);
  put(end, std::uint16_t{0});
  write(end);
}

}  // namespace mmo
