#include "mmo/core/memory.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace mmo {

std::uint64_t physical_memory() {
  const auto machine =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::ifstream limit("/sys/fs/cgroup/memory.max");  // "max" or a number
  std::uint64_t group = 0;
  return limit >> group ? std::min(machine, group) : machine;
}

void keep_freed_memory(std::uint64_t bytes) {
#ifdef M_MMAP_THRESHOLD  // the GNU library's
  const auto kept = static_cast<int>(std::min<std::uint64_t>(bytes, 2'000'000'000));
  constexpr int documented_limit = 32 << 20;
  if (mallopt(M_MMAP_THRESHOLD, kept) == 0) mallopt(M_MMAP_THRESHOLD, documented_limit);
  mallopt(M_TRIM_THRESHOLD, kept);
#else
  static_cast<void>(bytes);
#endif
}

}  // namespace mmo
