#include "mmo/core/atomic_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <optional>
#include <thread>
#include <utility>

#include "mmo/core/descriptor.h"
#include "mmo/core/pack.h"
#include "mmo/core/parallel.h"
#include "mmo/core/write_target.h"

namespace mmo {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

// Opening a named pipe waits for a reader; Ctrl-C can interrupt that wait.
Descriptor open_directly(const std::string& path) {
  for (;;) {
    throw_if_cancelled();
    Descriptor file = open_file(path, O_WRONLY | O_NONBLOCK);
    if (file.is_open() || errno != ENXIO) return file;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace

void require_writable(const std::string& path, bool overwrite) {
  if (path != "-") static_cast<void>(find_target(path, overwrite));
}

bool is_stream(const std::string& path) { return path == "-" || find_target(path, true).direct; }

struct AtomicFile::Impl {
  std::string name;  // for messages
  FileSet* together = nullptr;
  std::optional<StagedFile> staged;
  Descriptor direct;  // standard output, a device or a pipe
  bool may_block = false;
  std::unique_ptr<Compressor> compressor;
  std::string buffer;  // bytes not yet handed to the system

  // Waits while the target can't take more, then writes pieces small enough not to block once poll() says
  // there is room.
  [[nodiscard]] ssize_t write_some(std::string_view bytes) const {
    if (staged) return ::write(staged->descriptor(), bytes.data(), bytes.size());
    if (!may_block) return ::write(direct.get(), bytes.data(), bytes.size());
    wait_until_ready(direct.get(), POLLOUT);
    return ::write(direct.get(), bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
  }

  void flush() {
    std::string_view rest = buffer;
    while (!rest.empty()) {
      const ssize_t written = write_some(rest);
      if (written < 0 && errno != EINTR && errno != EAGAIN) fail_writing(name, errno);
      rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
    buffer.clear();
  }
};

AtomicFile::AtomicFile(const std::string& path, bool overwrite, FileSet* together)
    : impl_(std::make_unique<Impl>()) {
  impl_->name = path == "-" ? "standard output" : path;
  impl_->together = together;
  impl_->compressor = compressor_for(path);
  const WriteTarget target = path == "-" ? WriteTarget{path, true} : find_target(path, overwrite);
  if (!target.direct) {
    impl_->staged.emplace(target.path, path, overwrite);
    return;
  }
  impl_->direct = path == "-" ? Descriptor(STDOUT_FILENO) : open_directly(path);
  struct stat info{};
  if (!impl_->direct.is_open() || fstat(impl_->direct.get(), &info) != 0) fail_writing(path, errno);
  impl_->may_block = !S_ISREG(info.st_mode);
}

AtomicFile::~AtomicFile() = default;

void AtomicFile::write(std::string_view bytes) {
  if (impl_->compressor) {
    impl_->compressor->compress(bytes, false, impl_->buffer);
  } else {
    impl_->buffer.append(bytes);
  }
  if (impl_->buffer.size() >= buffer_bytes) impl_->flush();
}

void AtomicFile::flush() { impl_->flush(); }

void AtomicFile::commit() {
  if (impl_->compressor) impl_->compressor->compress({}, true, impl_->buffer);
  impl_->flush();
  if (!impl_->staged) return;
  impl_->staged->sync();
  FileSet alone;
  FileSet& set = impl_->together != nullptr ? *impl_->together : alone;
  set.add(std::move(*impl_->staged));
  impl_->staged.reset();
  alone.commit();
}

}  // namespace mmo
