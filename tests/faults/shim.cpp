// Preloaded into the program: the n-th call of one function fails, or brings a signal.
//   MMO_FAULT=write:3          the third write() says that the disk is full
//   MMO_FAULT=any:500:9        the 500th call of them all raises signal 9
//   MMO_FAULT_COUNTS=FILE      on exit: how often each was called, one "name count" per line
// Calls made by the C library itself are not seen, those of the other libraries are; those before main() are
// not counted.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// The C library's own, without which dlsym() could not work.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

enum Call {
  open_call,
  read_call,
  write_call,
  fsync_call,
  close_call,
  rename_call,
  mmap_call,
  malloc_call,
  calls
};
constexpr std::array<const char*, calls> names{"open",  "read",   "write", "fsync",
                                               "close", "rename", "mmap",  "malloc"};
constexpr int any_call = calls;

std::array<std::atomic<long>, calls> counts{};
std::atomic<long> all{0};
int faulty = -1;  // a Call, or any_call
long at = 0;      // counted from 1
int raised = 0;   // 0 = the call fails
std::atomic<bool> ready{false};

void prepare() {
  if (const char* fault = std::getenv("MMO_FAULT")) {
    char name[16] = {};
    static_cast<void>(std::sscanf(fault, "%15[a-z]:%ld:%d", name, &at, &raised));
    if (std::strcmp(name, "any") == 0) faulty = any_call;
    for (int k = 0; k < calls; ++k) {
      if (std::strcmp(name, names[static_cast<std::size_t>(k)]) == 0) faulty = k;
    }
  }
  ready = true;
}

__attribute__((destructor)) void report() {
  const char* path = std::getenv("MMO_FAULT_COUNTS");
  if (path == nullptr) return;
  ready = false;
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return;
  for (std::size_t k = 0; k < calls; ++k) std::fprintf(file, "%s %ld\n", names[k], counts[k].load());
  std::fprintf(file, "any %ld\n", all.load());
  std::fclose(file);
}

using Main = int (*)(int, char**, char**);
Main program_main = nullptr;
int main_with_faults(int argc, char** argv, char** environment) {
  prepare();
  return program_main(argc, argv, environment);
}

// Counts the call; whether it is the one to fail.
bool fails(Call call) {
  if (!ready.load(std::memory_order_relaxed)) return false;
  const long number = ++counts[call];
  const long total = ++all;
  if (!(faulty == call && number == at) && !(faulty == any_call && total == at)) return false;
  if (raised == 0) return true;
  static_cast<void>(raise(raised));
  return false;
}

int refuse(int reason) {
  errno = reason;
  return -1;
}

void* no_memory() {
  errno = ENOMEM;
  return nullptr;
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*end)(), void (*end_loader)(),
                      void* stack) {
  program_main = main;
  const auto start = reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(main_with_faults, argc, argv, init, end, end_loader, stack);
}
int open(const char* path, int flags, ...) {
  std::va_list list;
  va_start(list, flags);
  const unsigned mode = va_arg(list, unsigned);
  va_end(list);
  return fails(open_call) ? refuse(EMFILE)
                          : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
ssize_t read(int fd, void* to, std::size_t size) {
  return fails(read_call) ? refuse(EIO) : syscall(SYS_read, fd, to, size);
}
ssize_t pread(int fd, void* to, std::size_t size, off_t from) {
  return fails(read_call) ? refuse(EIO) : syscall(SYS_pread64, fd, to, size, from);
}
ssize_t write(int fd, const void* from, std::size_t size) {
  return fails(write_call) ? refuse(ENOSPC) : syscall(SYS_write, fd, from, size);
}
int fsync(int fd) { return fails(fsync_call) ? refuse(EIO) : static_cast<int>(syscall(SYS_fsync, fd)); }
int close(int fd) {
  const bool faulted = fails(close_call);
  const auto status = static_cast<int>(syscall(SYS_close, fd));
  return faulted ? refuse(EIO) : status;
}
int rename(const char* from, const char* to) noexcept {
  return fails(rename_call) ? refuse(EIO) : static_cast<int>(syscall(SYS_rename, from, to));
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  return fails(rename_call)
             ? refuse(EIO)
             : static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}
void* mmap(void* where, std::size_t size, int protection, int flags, int fd, off_t from) noexcept {
  if (fails(mmap_call)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(syscall(SYS_mmap, where, size, protection, flags, fd, from));
}
void* malloc(std::size_t size) noexcept { return fails(malloc_call) ? no_memory() : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) noexcept {
  return fails(malloc_call) ? no_memory() : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) noexcept {
  return fails(malloc_call) ? no_memory() : __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return fails(malloc_call) ? no_memory() : __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  if (fails(malloc_call)) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}
}
