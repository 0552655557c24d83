#include "cli/whole_number.h"

#include <fmt/core.h>

#include <charconv>

namespace mmo::cli {

CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  return {[low, high](std::string& text) {
            std::uint64_t value = 0;
            const char* const end = text.data() + text.size();
            const auto [stop, status] = std::from_chars(text.data(), end, value);
            if (text.empty() || stop != end || status != std::errc() || value < low || value > high)
              return fmt::format("{} is not a whole number from {} to {}", text, low, high);
            text = std::to_string(value);  // drops leading zeros: octal to CLI11
            return std::string();
          },
          ""};
}

}  // namespace mmo::cli
