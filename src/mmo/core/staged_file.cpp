// The temporary file behind AtomicFile: created and locked next to its target, then renamed over it.
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "mmo/core/atomic_file.h"
#include "mmo/core/descriptor.h"
#include "mmo/core/error.h"
#include "mmo/core/write_target.h"

namespace mmo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = ".mmo-";
constexpr std::string_view suffix = ".tmp";

bool is_temporary_name(std::string_view name) {
  if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
    return false;
  name = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  return name.find_first_not_of("0123456789-") == std::string_view::npos;
}

// A running process locks the file it writes; the lock dies with the process, however that ends.
bool is_abandoned(int fd) {
  struct stat info{};
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
         flock(fd, LOCK_EX | LOCK_NB) == 0;
}

// Removes what killed runs left in the folder; once per folder, as a folder may hold a million files.
void clean(const fs::path& folder) {
  static std::mutex guard;
  static std::set<fs::path> cleaned;
  {
    const std::lock_guard lock(guard);
    if (!cleaned.insert(folder).second) return;
  }
  DIR* entries = opendir(folder.empty() ? "." : folder.c_str());
  if (entries == nullptr) return;
  while (const dirent* entry = readdir(entries)) {
    if (!is_temporary_name(entry->d_name)) continue;
    const std::string path = (folder / entry->d_name).string();
    const Descriptor file = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (file.is_open() && is_abandoned(file.get())) unlink(path.c_str());
  }
  closedir(entries);
}

// A new, locked file next to `target`. Others can't read it yet if it will replace a file that may be
// private.
std::pair<Descriptor, std::string> create_beside(const std::string& target, const std::string& name,
                                                 unsigned mode) {
  static std::atomic<unsigned> counter{0};
  const fs::path folder = fs::path(target).parent_path();
  clean(folder);
  for (;;) {
    std::string temporary(prefix);
    temporary += std::to_string(getpid()) + "-" + std::to_string(counter++);
    temporary = (folder / temporary.append(suffix)).string();
    Descriptor file = open_file(temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
    if (!file.is_open()) {
      if (errno == EEXIST) continue;
      fail_writing(name, errno);
    }
    // Another run's clean() may have got in between: it holds the lock, or has removed the file already.
    struct stat info{};
    const bool taken = flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!taken && fstat(file.get(), &info) == 0 && info.st_nlink > 0) return {std::move(file), temporary};
    unlink(temporary.c_str());
  }
}

bool lacks_flag(int reason) { return reason == EINVAL || reason == ENOSYS || reason == ENOTSUP; }

// Fails with EEXIST if `to` exists.
bool rename_to_new(const char* from, const char* to) {
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return true;
  if (!lacks_flag(errno)) return false;
  // Network file systems don't know this flag, but they do know links.
  if (link(from, to) != 0) return false;
  unlink(from);
  return true;
}

// The new name reaches the disk only with its folder; file systems that can't sync folders are fine.
void sync_folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  const Descriptor file = open_file(folder.empty() ? "." : folder.string(), O_RDONLY | O_DIRECTORY);
  if (file.is_open()) fsync(file.get());
}

}  // namespace

struct StagedFile::Impl {
  std::string name;       // for messages
  std::string target;     // what the temporary file will be renamed to
  std::string temporary;  // after publish(): the replaced file, if it could be kept; else empty
  Descriptor file;
  bool overwrite = false;
  bool published = false;
  bool was_new = true;  // there was nothing to replace

  ~Impl() {
    if (!temporary.empty()) unlink(temporary.c_str());
  }
};

StagedFile::StagedFile(const std::string& target, const std::string& name, bool overwrite)
    : impl_(std::make_unique<Impl>()) {
  struct stat replaced{};
  const bool exists = stat(target.c_str(), &replaced) == 0;
  impl_->name = name;
  impl_->target = target;
  impl_->overwrite = overwrite;
  std::tie(impl_->file, impl_->temporary) = create_beside(target, name, exists ? 0600 : 0666);
  if (!exists) return;
  // Only root can give a file away; others keep what they make.
  static_cast<void>(!fchown(descriptor(), replaced.st_uid, replaced.st_gid));
  if (fchmod(descriptor(), replaced.st_mode & 07777) != 0) fail_writing(name, errno);
}

StagedFile::StagedFile(StagedFile&&) noexcept = default;
StagedFile& StagedFile::operator=(StagedFile&&) noexcept = default;
StagedFile::~StagedFile() = default;

int StagedFile::descriptor() const { return impl_->file.get(); }

void StagedFile::sync() const {
  if (fsync(descriptor()) != 0) fail_writing(impl_->name, errno);
}

void StagedFile::publish() {
  const char* from = impl_->temporary.c_str();
  const char* to = impl_->target.c_str();
  if (!impl_->overwrite) {
    if (!rename_to_new(from, to)) {
      if (errno == EEXIST) fail_exists(impl_->name, "another run wrote it meanwhile");
      fail_writing(impl_->name, errno);
    }
    impl_->temporary.clear();
  } else if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0) {
    impl_->was_new = false;
  } else {  // there was nothing to exchange with, or the file system can't
    impl_->was_new = errno == ENOENT;
    if (rename(from, to) != 0) fail_writing(impl_->name, errno);
    impl_->temporary.clear();
  }
  impl_->published = true;
  sync_folder_of(impl_->target);
}

void StagedFile::take_back() noexcept {
  if (!impl_->published) return;
  if (impl_->was_new) {
    unlink(impl_->target.c_str());
  } else if (!impl_->temporary.empty()) {
    renameat2(AT_FDCWD, impl_->temporary.c_str(), AT_FDCWD, impl_->target.c_str(), RENAME_EXCHANGE);
  }
  impl_->published = false;
}

void FileSet::commit() {
  std::size_t done = 0;
  try {
    for (; done < files_.size(); ++done) files_[done].publish();
  } catch (...) {
    while (done > 0) files_[--done].take_back();
    throw;
  }
  files_.clear();
}

}  // namespace mmo
