// The machine's memory.
#pragma once

#include <cstdint>

namespace mmo {

// Bytes that this process may use, by the machine and by its control group (a container's limit). Beyond them
// the system would rather kill the program than refuse.
[[nodiscard]] std::uint64_t physical_memory();

}  // namespace mmo
