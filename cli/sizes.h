// Sizes and times as people write them.
#pragma once

#include <cstdint>
#include <string>

namespace mmo::cli {

// "800M", "4G", "1.5GB", "2GiB" or plain bytes (units of 1024). Throws UsageError naming `flag`.
[[nodiscard]] std::uint64_t parse_size(const std::string& text, const std::string& flag);
// "90", "90s", "10m", "1.5h", in seconds. Throws UsageError naming `flag`.
[[nodiscard]] double parse_duration(const std::string& text, const std::string& flag);

}  // namespace mmo::cli
