// The machine's memory.
#pragma once

#include <cstdint>

namespace mmo {

// Bytes this process may use: the machine's memory, or less if its control group (a container) has a limit.
// Beyond that the system kills the program rather than refuse.
[[nodiscard]] std::uint64_t physical_memory();

// For a program that keeps freeing and allocating blocks of the same sizes, from 0.1 to 100 MB: blocks below
// `bytes` come from the heap, which keeps up to about as much free space at its end. Otherwise the system
// maps and zeroes them page by page every time, which takes a tenth of a search.
void keep_freed_memory(std::uint64_t bytes = std::uint64_t{1} << 28U);

}  // namespace mmo
