// File descriptors that close themselves, never take the number of a standard stream, and can be waited for
// without holding up Ctrl-C.
#pragma once

#include <string>
#include <utility>

namespace mmo {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  void reset();  // closes it, unless it is a standard stream

 private:
  int fd_ = -1;
};

// open(2) with O_CLOEXEC, but never as descriptor 0, 1 or 2: whoever started us may have closed those, and
// anything the process prints would land in the file. On failure it is not open, and errno is set.
[[nodiscard]] Descriptor open_file(const std::string& path, int flags, unsigned mode = 0666);

// Waits until `fd` can be read (POLLIN) or written (POLLOUT) without blocking; throws Interrupted on Ctrl-C.
void wait_until_ready(int fd, short event);

// For main(): closed standard streams become /dev/null opened in the wrong direction, so using one is still
// an error and no file can take its number.
void open_standard_streams();

}  // namespace mmo
