#include "mmo/core/memory.h"

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

}  // namespace mmo
