#include "mmo/core/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "mmo/core/descriptor.h"
#include "mmo/core/error.h"
#include "mmo/core/mapped_file.h"
#include "mmo/core/unpack.h"

namespace mmo {
namespace {

constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : path; }

[[noreturn]] void fail_reading(const std::string& name, const std::string& reason) {
  throw IoError("can't read " + name + ": " + reason);
}

// Reads a pipe, a device or standard input until it ends or there is enough.
std::string drain(int fd, const std::string& name, std::size_t enough) {
  constexpr std::size_t least = std::size_t{1} << 20;
  std::string all;
  while (all.size() < enough) {
    wait_until_ready(fd, POLLIN);
    const std::size_t before = all.size();
    all.resize(before + std::max(least, before / 2));
    const ssize_t got = read(fd, all.data() + before, all.size() - before);
    const int reason = errno;
    all.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) break;
    if (got < 0 && reason != EINTR && reason != EAGAIN) fail_reading(name, std::strerror(reason));
  }
  return all;
}

// All of a file that is small or can't be mapped.
std::string read_regular(int fd, std::size_t size, const std::string& name) {
  std::string all(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = pread(fd, all.data() + have, size - have, static_cast<off_t>(have));
    if (got < 0 && errno != EINTR) fail_reading(name, std::strerror(errno));
    if (got == 0)
      fail_reading(name, "it got shorter while it was read; try again when nothing is writing to it");
    have += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  }
  return all;
}

struct stat status_of(int fd, const std::string& name) {
  struct stat info{};
  if (fstat(fd, &info) != 0) fail_reading(name, std::strerror(errno));
  return info;
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

// The bytes as stored, packed or not.
FileContent FileContent::read_raw(const std::string& path, std::size_t enough) {
  const bool standard_input = path == "-";
  const std::string name = shown_name(path);
  // Non-blocking, so opening a named pipe doesn't wait for its writer: drain() waits instead, and can be
  // interrupted.
  Descriptor file = standard_input ? Descriptor(STDIN_FILENO) : open_file(path, O_RDONLY | O_NONBLOCK);
  if (!file.is_open()) fail_reading(name, std::strerror(errno));
  const struct stat info = status_of(file.get(), name);
  if (S_ISDIR(info.st_mode)) fail_reading(name, std::strerror(EISDIR));
  const std::size_t size = std::min(static_cast<std::size_t>(std::max<off_t>(info.st_size, 0)), enough);
  // Standard input may be part-way through a file, and files in /proc claim to be empty: drain both.
  if (standard_input || !S_ISREG(info.st_mode) || size == 0)
    return from_string(drain(file.get(), name, enough), name);
  constexpr std::size_t small = std::size_t{1} << 20;  // mapping anything smaller saves nothing
  FileContent content;
  if (size > small) content.owner_ = map_file(file, size);
  if (content.owner_ == nullptr) return from_string(read_regular(file.get(), size, name), name);
  content.bytes_ = {static_cast<const char*>(content.owner_.get()), size};
  content.name_ = name;
  return content;
}

FileContent FileContent::open_start(const std::string& path, std::size_t bytes) {
  constexpr const char* too_large = "it does not fit in memory";
  try {
    FileContent content = read_raw(path, bytes);
    if (!is_packed(content.bytes_)) return content;
    if (content.bytes_.size() >= bytes) content = read_raw(path, everything);
    return if_unchanged(content.bytes_, content.name_, [&] {
      return from_string(unpack(content.bytes_, content.name_, bytes), content.name_);
    });
  } catch (const std::bad_alloc&) {
    fail_reading(shown_name(path), too_large);
  } catch (const std::length_error&) {
    fail_reading(shown_name(path), too_large);
  }
}

FileContent FileContent::open(const std::string& path) { return open_start(path, everything); }

}  // namespace mmo
