// Gzip and zstd, from memory to memory.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace mmo {

// Whether the bytes are a gzip or zstd stream, judging by the first few.
[[nodiscard]] bool is_packed(std::string_view bytes);

// The content of a packed file of any number of members or frames; stops early once there are `enough` bytes.
// Throws DataError naming the file if it is damaged or unpacks to more than input_limit().
[[nodiscard]] std::string unpack(std::string_view packed, const std::string& name,
                                 std::size_t enough = std::numeric_limits<std::size_t>::max());

}  // namespace mmo
