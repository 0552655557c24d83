#include "mmo/core/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <utility>

#include "mmo/core/error.h"

namespace mmo {
namespace {

// A mapping that the signal handler knows; free while begin is 0. Only atomics: a handler may not lock.
struct Slot {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> shortened{false};
  Descriptor file;
  struct stat opened{};
};

std::array<Slot, 64> slots;
std::mutex slots_guard;  // guards whatever the handler doesn't touch
struct sigaction previous_action{};

Slot* slot_of(std::uintptr_t address) {
  for (Slot& slot : slots) {
    const std::uintptr_t begin = slot.begin;
    if (begin != 0 && address >= begin && address < slot.end) return &slot;
  }
  return nullptr;
}

// The page at the fault lies beyond the file's new end, and so does everything after it.
bool replace_by_zeros(Slot& slot, std::uintptr_t address) {
  const std::uintptr_t page = address - address % static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  slot.shortened = true;
  void* const start = reinterpret_cast<void*>(page);  // NOLINT(performance-no-int-to-ptr)
  return mmap(start, slot.end - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
         MAP_FAILED;
}

void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  const int before = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  Slot* const slot = slot_of(address);
  // Not ours: on return it faults again, this time for whoever handled it before us.
  if (slot == nullptr || !replace_by_zeros(*slot, address)) sigaction(signal, &previous_action, nullptr);
  errno = before;
}

void install_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action{};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, &previous_action);
  });
}

bool same_version(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

void unmap(Slot& slot) {
  const std::lock_guard lock(slots_guard);
  const std::uintptr_t begin = slot.begin;
  munmap(reinterpret_cast<void*>(begin), slot.end - begin);  // NOLINT(performance-no-int-to-ptr)
  slot.file.reset();
  slot.begin = 0;
}

}  // namespace

std::shared_ptr<const char> map_file(Descriptor& file, std::size_t size) {
  install_handler();
  const std::lock_guard lock(slots_guard);
  for (Slot& slot : slots) {
    if (slot.begin != 0) continue;
    if (fstat(file.get(), &slot.opened) != 0) return nullptr;
    void* const memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (memory == MAP_FAILED) return nullptr;
    madvise(memory, size, MADV_WILLNEED);
    slot.file = std::move(file);
    slot.shortened = false;
    slot.end = reinterpret_cast<std::uintptr_t>(memory) + size;
    slot.begin = reinterpret_cast<std::uintptr_t>(memory);
    return {static_cast<const char*>(memory), [&slot](const char*) { unmap(slot); }};
  }
  return nullptr;
}

void throw_if_changed(std::string_view bytes, const std::string& name) {
  const std::lock_guard lock(slots_guard);
  const Slot* const slot = slot_of(reinterpret_cast<std::uintptr_t>(bytes.data()));
  if (slot == nullptr) return;
  struct stat now{};
  if (slot->shortened || fstat(slot->file.get(), &now) != 0 || !same_version(slot->opened, now))
    throw IoError("can't read " + name +
                  ": it changed while it was read; try again when nothing is writing to it");
}

}  // namespace mmo
