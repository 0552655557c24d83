// Numbers and metrics as the report writes them.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "mmo/metric/metric.h"

namespace mmo {

// Whole numbers without ".0"; null for NaN and infinity.
inline nlohmann::ordered_json report_number(double value) {
  constexpr double largest = 9007199254740992.0;  // 2^53: exact in JavaScript
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::fabs(value) < largest) return static_cast<std::int64_t>(value);
  return value;
}

// The shortest decimal that reads back as this float, not the long one of the equal double.
inline nlohmann::ordered_json report_number(float value) {
  return report_number(std::isfinite(value) ? std::strtod(fmt::format("{}", value).c_str(), nullptr)
                                            : static_cast<double>(value));
}

// For drawing and reading, not for computing.
inline nlohmann::ordered_json rounded_number(double value, int digits = 4) {
  if (!std::isfinite(value)) return nullptr;
  return report_number(std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr));
}

// name, average, formula, zero_division, ratios: 8 coefficients each (TP, FP, FN, TN above and below the
// line).
[[nodiscard]] nlohmann::ordered_json report_metric(const Metric& metric);

}  // namespace mmo
