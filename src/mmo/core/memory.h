// The machine's memory.
#pragma once

#include <cstdint>

namespace mmo {

// Bytes that this process may use, by the machine and by its control group (a container's limit). Beyond them
// the system would rather kill the program than refuse.
[[nodiscard]] std::uint64_t physical_memory();

// For a program that frees and allocates blocks of the same sizes over and over, from 0.1 to 100 MB: blocks
// below `bytes` come from the heap, and up to about as much of its free end stays with the process. Otherwise
// the system maps and zeroes them page by page every time, a tenth of a search.
void keep_freed_memory(std::uint64_t bytes = std::uint64_t{1} << 28U);

}  // namespace mmo
