#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <optional>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/file.h"

namespace mmo {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

// Turns written bytes into what goes to disk; finish = no more will come.
class Compressor {
 public:
  virtual ~Compressor() = default;
  virtual void compress(std::string_view bytes, bool finish, std::string& out) = 0;
};

class Gzip final : public Compressor {
 public:
  Gzip() {
    // 15 window bits, + 16 = the gzip wrapper; 8 = zlib's default memory level.
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Gzip() override { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void compress(std::string_view bytes, bool finish, std::string& out) override {
    // zlib counts its input in 32 bits.
    while (bytes.size() > buffer_bytes) {
      deflate_block(bytes.substr(0, buffer_bytes), Z_NO_FLUSH, out);
      bytes.remove_prefix(buffer_bytes);
    }
    deflate_block(bytes, finish ? Z_FINISH : Z_NO_FLUSH, out);
  }

 private:
  void deflate_block(std::string_view bytes, int flush, std::string& out) {
    std::string block(std::size_t{1} << 16, '\0');
    // zlib's interface is not const-correct; it does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(block.data());
      stream_.avail_out = static_cast<uInt>(block.size());
      deflate(&stream_, flush);
      out.append(block.data(), block.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
};

class Zstd final : public Compressor {
 public:
  Zstd() : context_(ZSTD_createCCtx(), &ZSTD_freeCCtx) {
    if (!context_) throw std::bad_alloc();
    // A checksum lets readers notice damage.
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  void compress(std::string_view bytes, bool finish, std::string& out) override {
    std::string block(ZSTD_CStreamOutSize(), '\0');
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    std::size_t left = 0;
    do {
      ZSTD_outBuffer output{block.data(), block.size(), 0};
      left = ZSTD_compressStream2(context_.get(), &output, &input, finish ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left) != 0) throw std::bad_alloc();  // the only way compression fails
      out.append(block.data(), output.pos);
    } while (finish ? left != 0 : input.pos < input.size);
  }

 private:
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
};

std::unique_ptr<Compressor> compressor_for(std::string_view path) {
  if (path.ends_with(".gz")) return std::make_unique<Gzip>();
  if (path.ends_with(".zst")) return std::make_unique<Zstd>();
  return nullptr;
}

[[noreturn]] void fail_writing(const std::string& name, int reason) {
  throw IoError("can't write " + name + ": " + std::strerror(reason));
}

// A new file beside `target`, readable by whom the user's umask says (mkstemp would make it private).
std::pair<int, std::string> create_beside(const std::string& target, const std::string& name) {
  static std::atomic<unsigned> counter{0};
  const std::filesystem::path folder = std::filesystem::path(target).parent_path();
  for (;;) {
    const std::string temporary =
        (folder / (".mmo-" + std::to_string(getpid()) + "-" + std::to_string(counter++) + ".tmp")).string();
    const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) return {fd, temporary};
    if (errno != EEXIST) fail_writing(name, errno);
  }
}

}  // namespace

struct AtomicFile::Impl {
  std::string name;       // for messages
  std::string target;     // what the temporary file will be renamed to
  std::string temporary;  // empty when writing directly (standard output, devices, pipes)
  int fd = -1;
  std::unique_ptr<Compressor> compressor;
  std::string buffer;  // bytes not yet handed to the system

  ~Impl() {
    if (fd > STDERR_FILENO) close(fd);
    if (!temporary.empty()) unlink(temporary.c_str());
  }

  void flush() {
    std::string_view rest = buffer;
    while (!rest.empty()) {
      const ssize_t written = ::write(fd, rest.data(), rest.size());
      if (written < 0 && errno != EINTR) fail_writing(name, errno);
      rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
    buffer.clear();
  }
};

AtomicFile::AtomicFile(const std::string& path, bool overwrite) : impl_(std::make_unique<Impl>()) {
  impl_->name = path == "-" ? "standard output" : path;
  if (path == "-") {
    impl_->fd = STDOUT_FILENO;
    return;
  }
  struct stat info{};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) fail_writing(path, EISDIR);
  impl_->compressor = compressor_for(path);
  // A device or pipe can't be replaced by renaming; /dev/stdout may even be a redirected regular file.
  if (exists && (!S_ISREG(info.st_mode) || path.starts_with("/dev/"))) {
    impl_->fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (impl_->fd < 0) fail_writing(path, errno);
    return;
  }
  if (exists && !overwrite) throw IoError(path + " exists; add --force to replace it");
  if (exists && access(path.c_str(), W_OK) != 0) fail_writing(path, errno);
  // Writing through a symbolic link replaces the file it names, not the link.
  std::error_code unresolved;
  impl_->target = exists ? std::filesystem::canonical(path, unresolved).string() : path;
  if (unresolved) fail_writing(path, unresolved.value());
  std::tie(impl_->fd, impl_->temporary) = create_beside(impl_->target, path);
  if (exists && fchmod(impl_->fd, info.st_mode & 07777) != 0) fail_writing(path, errno);
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

void AtomicFile::commit() {
  if (impl_->compressor) impl_->compressor->compress({}, true, impl_->buffer);
  impl_->flush();
  if (impl_->temporary.empty()) return;
  if (fsync(impl_->fd) != 0) fail_writing(impl_->name, errno);
  if (rename(impl_->temporary.c_str(), impl_->target.c_str()) != 0) fail_writing(impl_->name, errno);
  impl_->temporary.clear();
  // The new name itself reaches the disk with its folder; file systems that can't sync folders are fine.
  const std::filesystem::path folder = std::filesystem::path(impl_->target).parent_path();
  const int folder_fd = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_fd >= 0) {
    fsync(folder_fd);
    close(folder_fd);
  }
}

}  // namespace mmo
