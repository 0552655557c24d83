#include "cli/sizes.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "mmo/core/error.h"

namespace mmo::cli {
namespace {

// The leading number of `text`; the rest is its unit. Negative = not a number.
double leading_number(const std::string& text, std::string& unit) {
  double value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return -1;
  unit.assign(end, text.data() + text.size());
  return value;
}

}  // namespace

std::uint64_t parse_size(const std::string& text, const std::string& flag) {
  std::string unit;
  const double value = leading_number(text, unit);
  double scale = 0;
  if (unit.empty() || unit == "B") scale = 1;
  constexpr std::string_view prefixes = "KMGT";
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    const std::string prefix(1, prefixes[i]);
    if (unit == prefix || unit == prefix + "B" || unit == prefix + "iB")
      scale = std::pow(1024.0, static_cast<double>(i + 1));
  }
  const double bytes = value * scale;
  if (value == 0 && scale > 0)
    throw UsageError(fmt::format("{} '{}': nothing fits into that; leave it out for no limit", flag, text));
  if (value < 0 || scale == 0 || bytes > 0x1.0p62) {
    throw UsageError(fmt::format("{} '{}' is not a size; write 800M or 4G", flag, text));
  }
  return static_cast<std::uint64_t>(bytes);
}

double parse_duration(const std::string& text, const std::string& flag) {
  std::string unit;
  const double value = leading_number(text, unit);
  const double scale = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (value == 0 && scale > 0)
    throw UsageError(fmt::format("{} '{}': leave it out for no limit", flag, text));
  if (value < 0 || scale == 0)
    throw UsageError(fmt::format("{} '{}' is not a time; write 90s, 10m or 2h", flag, text));
  return value * scale;
}

}  // namespace mmo::cli
