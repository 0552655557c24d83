#include "mmo/core/write_target.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "mmo/core/error.h"

namespace mmo {
namespace {

namespace fs = std::filesystem;

// "/dev/stdout" or "/proc/self/fd/1", which may be a redirected regular file.
bool names_a_descriptor(const std::string& path) {
  return path == "/dev/stdout" || path == "/dev/stderr" || path.starts_with("/dev/fd/") ||
         (path.starts_with("/proc/") && path.find("/fd/") != std::string::npos);
}

// Also where the last link leads to a file that does not exist yet.
std::string follow_links(const std::string& path) {
  constexpr int as_many_as_the_system_follows = 40;
  fs::path at = path;
  std::error_code failed;
  for (int k = 0; k < as_many_as_the_system_follows && fs::is_symlink(fs::symlink_status(at, failed)); ++k) {
    const fs::path next = fs::read_symlink(at, failed);
    if (failed) fail_writing(path, failed.value());
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  return at.string();
}

// Even root, who could write to it anyway, has to make a file without write bits writable first.
bool is_read_only(const std::string& path, const struct stat& info) {
  return (info.st_mode & 0222) == 0 || access(path.c_str(), W_OK) != 0;
}

}  // namespace

void fail_writing(const std::string& name, int reason) {
  throw IoError("can't write " + name + ": " + std::strerror(reason));
}

void fail_exists(const std::string& name, const std::string& how) {
  throw ExistsError(name + " exists" + (how.empty() ? "" : " (" + how + ")"));
}

WriteTarget find_target(const std::string& path, bool overwrite) {
  struct stat info{};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    throw IoError("can't write " + path + ": it is a folder; give a file's name");
  if (exists && (!S_ISREG(info.st_mode) || names_a_descriptor(path))) return {path, true};
  if (exists && !overwrite) fail_exists(path);
  const std::string target = follow_links(path);
  if (exists && is_read_only(target, info))
    throw IoError("can't write " + path + ": it is read-only; make it writable first (chmod u+w)");
  const fs::path folder = fs::path(target).parent_path();
  const std::string shown = folder.empty() ? "." : folder.string();
  if (access(shown.c_str(), F_OK) != 0)
    throw IoError("can't write " + path + ": the folder " + shown + " does not exist (" +
                  std::strerror(errno) + ")");
  if (access(shown.c_str(), W_OK) != 0)
    throw IoError("can't write " + path + ": the folder " + shown + " is not writable (" +
                  std::strerror(errno) + ")");
  return {target, false};
}

}  // namespace mmo
