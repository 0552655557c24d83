#include "mmo/core/descriptor.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "mmo/core/parallel.h"

namespace mmo {

void Descriptor::reset() {
  if (fd_ > STDERR_FILENO) close(fd_);
  fd_ = -1;
}

Descriptor open_file(const std::string& path, int flags, unsigned mode) {
  const int fd = open(path.c_str(), flags | O_CLOEXEC, mode);
  if (fd < 0 || fd > STDERR_FILENO) return Descriptor(fd);
  const int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int reason = errno;
  close(fd);
  errno = reason;
  return Descriptor(above);
}

void wait_until_ready(int fd, short event) {
  // Short waits: a signal that comes between the check and poll() would otherwise go unnoticed.
  constexpr int milliseconds = 100;
  for (;;) {
    throw_if_cancelled();
    pollfd wanted{fd, event, 0};
    const int ready = poll(&wanted, 1, milliseconds);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return;  // read() or write() reports what is wrong
  }
}

void open_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() takes the lowest free number: this one.
    static_cast<void>(open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace mmo
