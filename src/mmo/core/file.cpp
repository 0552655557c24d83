#include "mmo/core/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"

namespace mmo {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail_reading(const std::string& name, int reason) {
  throw IoError("can't read " + name + ": " + std::strerror(reason));
}

// Everything a pipe, a device or standard input gives.
std::string drain(int fd, const std::string& name) {
  std::string all;
  for (;;) {
    throw_if_cancelled();
    const std::size_t before = all.size();
    all.resize(before + std::max(block_bytes, before / 2));
    const ssize_t got = read(fd, all.data() + before, all.size() - before);
    const int reason = errno;
    all.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return all;
    if (got < 0 && reason != EINTR) fail_reading(name, reason);
  }
}

bool starts_with(std::string_view bytes, std::string_view magic) {
  return bytes.substr(0, magic.size()) == magic;
}
constexpr std::string_view gzip_magic = "\x1f\x8b";
constexpr std::string_view zstd_magic = "\x28\xb5\x2f\xfd";

// Holds z_stream's clean-up; zlib counts input in 32 bits, so it is fed in blocks.
struct Inflater {
  z_stream stream{};
  Inflater() {
    // 15 window bits, + 16 = the gzip wrapper with its checksum.
    if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

std::string gunzip(std::string_view packed, const std::string& name) {
  Inflater inflater;
  z_stream& stream = inflater.stream;
  std::string out;
  std::string block(block_bytes, '\0');
  std::size_t fed = 0;
  bool member_open = true;
  while (member_open) {
    throw_if_cancelled();
    const std::size_t piece = std::min(packed.size() - fed, block_bytes);
    // zlib's interface is not const-correct; it does not write to its input.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + fed));
    stream.avail_in = static_cast<uInt>(piece);
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    const std::size_t used = piece - stream.avail_in;
    const std::size_t made = block.size() - stream.avail_out;
    fed += used;
    out.append(block.data(), made);
    if (status == Z_STREAM_END) {
      const std::string_view rest = packed.substr(fed);
      if (starts_with(rest, gzip_magic)) {
        inflateReset(&stream);
      } else if (rest.find_first_not_of('\0') == std::string_view::npos) {
        member_open = false;  // the end, perhaps padded with zeros as tape archives are
      } else {
        throw DataError(name, 0, "corrupt gzip file: other bytes follow the compressed data");
      }
    } else if (status == Z_DATA_ERROR || status == Z_NEED_DICT) {
      throw DataError(name, 0,
                      std::string("corrupt gzip file (") + (stream.msg != nullptr ? stream.msg : "damaged") +
                          "); get a fresh copy");
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (used == 0 && made == 0) {
      throw DataError(name, 0, "truncated gzip file: it ends before its data does; get a fresh copy");
    }
  }
  return out;
}

std::string unzstd(std::string_view packed, const std::string& name) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (!context) throw std::bad_alloc();
  std::string out;
  std::string block(block_bytes, '\0');
  ZSTD_inBuffer input{packed.data(), packed.size(), 0};
  std::size_t wanted = 1;  // 0 exactly at the end of a frame
  for (;;) {
    throw_if_cancelled();
    ZSTD_outBuffer output{block.data(), block.size(), 0};
    wanted = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(wanted) != 0) {
      throw DataError(name, 0,
                      std::string("corrupt zstd file (") + ZSTD_getErrorName(wanted) + "); get a fresh copy");
    }
    out.append(block.data(), output.pos);
    if (input.pos == input.size && output.pos < output.size) break;
  }
  if (wanted != 0) {
    throw DataError(name, 0, "truncated zstd file: it ends before its data does; get a fresh copy");
  }
  return out;
}

}  // namespace

FileContent FileContent::from_string(std::string text, std::string name) {
  FileContent content;
  auto buffer = std::make_shared<const std::string>(std::move(text));
  content.bytes_ = *buffer;
  content.owner_ = std::move(buffer);
  content.name_ = std::move(name);
  return content;
}

FileContent FileContent::open(const std::string& path) {
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "standard input" : path;
  const Descriptor file(standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail_reading(name, errno);
  struct stat info{};
  if (fstat(file.get(), &info) != 0) fail_reading(name, errno);
  if (S_ISDIR(info.st_mode)) fail_reading(name, EISDIR);
  try {
    FileContent content;
    // Standard input may stand in the middle of a file, and /proc's files claim to be empty: both are read.
    void* mapped = MAP_FAILED;
    const auto size = static_cast<std::size_t>(std::max<off_t>(info.st_size, 0));
    if (!standard_input && S_ISREG(info.st_mode) && size > 0) {
      mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    }
    if (mapped != MAP_FAILED) {
      madvise(mapped, size, MADV_WILLNEED);
      content.owner_ = std::shared_ptr<const void>(
          mapped, [size](const void* start) { munmap(const_cast<void*>(start), size); });
      content.bytes_ = {static_cast<const char*>(mapped), size};
      content.name_ = name;
    } else {
      content = from_string(drain(file.get(), name), name);
    }
    if (starts_with(content.bytes_, gzip_magic)) return from_string(gunzip(content.bytes_, name), name);
    if (starts_with(content.bytes_, zstd_magic)) return from_string(unzstd(content.bytes_, name), name);
    return content;
  } catch (const std::bad_alloc&) {
    throw IoError("can't read " + name + ": it does not fit in memory");
  } catch (const std::length_error&) {
    throw IoError("can't read " + name + ": it does not fit in memory");
  }
}

}  // namespace mmo
