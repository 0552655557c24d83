#include "mmo/core/input_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "mmo/core/error.h"

namespace mmo {
namespace {

constexpr std::uint64_t always_allowed = std::uint64_t{1} << 30U;
constexpr std::uint64_t usual_ratio = 100;
constexpr std::uint64_t bytes_per_column = 8;

std::atomic<std::uint64_t> configured_limit{0};

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t mega = std::uint64_t{1} << 20U;
  return bytes < 10 * mega ? fmt::format("{} bytes", bytes) : fmt::format("{} MB", bytes / mega);
}

}  // namespace

std::uint64_t input_limit(std::uint64_t input_bytes) {
  const std::uint64_t configured = configured_limit;
  return configured > 0 ? configured : std::max(always_allowed, usual_ratio * input_bytes);
}

void set_input_limit(std::uint64_t bytes) { configured_limit = bytes; }

void check_input(std::uint64_t bytes, std::uint64_t input_bytes, const std::string& asks_for,
                 const std::string& name) {
  const std::uint64_t limit = input_limit(input_bytes);
  if (bytes <= limit) return;
  throw DataError(name, 0,
                  fmt::format("its {} {} more than {} of memory; if you trust the file, raise the limit with "
                              "--max-input",
                              size_text(input_bytes), asks_for, size_text(limit)));
}

void check_columns(std::uint64_t features, std::uint64_t labels, std::uint64_t input_bytes,
                   const std::string& name) {
  check_input((features + labels) * bytes_per_column, input_bytes,
              fmt::format("announce {} features and {} labels, which take", features, labels), name);
}

}  // namespace mmo
