// Dates in cells: "2024-03-01", "01.03.2024", "3/1/2024", with or without a time of day.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mmo {

// Which of the three numbers stands where. ISO dates (year first) are read in any order: they say it
// themselves.
enum class DateOrder : std::uint8_t { none, year_first, day_first, month_first };

// Days since 1970-01-01, with the time of day as a fraction; nothing if the text is no such date.
[[nodiscard]] std::optional<double> parse_date(std::string_view text, DateOrder order);

// "year-month-day", "day-month-year", "month-day-year", or "" for none: in messages and model files.
[[nodiscard]] std::string date_order_name(DateOrder order);
[[nodiscard]] std::optional<DateOrder> parse_date_order(std::string_view name);

}  // namespace mmo
