// The machine's memory.
#pragma once

#include <cstdint>

namespace mmo {

// Bytes; beyond them the system would rather kill the program than refuse.
[[nodiscard]] std::uint64_t physical_memory();

}  // namespace mmo
