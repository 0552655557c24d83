#include "mmo/data/dates.h"

#include <array>
#include <charconv>
#include <chrono>
#include <utility>

namespace mmo {
namespace {

constexpr std::array<std::pair<DateOrder, const char*>, 4> names{
    {{DateOrder::none, ""},
     {DateOrder::year_first, "year-month-day"},
     {DateOrder::day_first, "day-month-year"},
     {DateOrder::month_first, "month-day-year"}}};

// Takes one to `most` digits off the front.
std::optional<int> take_digits(std::string_view& text, std::size_t most) {
  std::size_t count = 0;
  while (count < text.size() && count < most && text[count] >= '0' && text[count] <= '9') ++count;
  if (count == 0) return std::nullopt;
  int value = 0;
  std::from_chars(text.data(), text.data() + count, value);
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// "", "T12:30", " 12:30:59.5", with "Z" or "+02:00" behind: the share of a day, in universal time.
std::optional<double> time_of_day(std::string_view text) {
  if (text.empty()) return 0.0;
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || *hour > 24 || !take(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  double seconds = 3600.0 * *hour + 60.0 * *minute;
  if (take(text, ':')) {
    const auto second = take_digits(text, 2);
    if (!second || *second > 60) return std::nullopt;
    seconds += *second;
    if (take(text, '.') && !take_digits(text, 9)) return std::nullopt;
  }
  const bool east = text.starts_with('+');
  if (text == "Z") return seconds / 86400.0;
  if (take(text, '+') || take(text, '-')) {
    const auto zone_hour = take_digits(text, 2);
    take(text, ':');
    const auto zone_minute = take_digits(text, 2);
    if (!zone_hour || !text.empty()) return std::nullopt;
    seconds -= (east ? 60.0 : -60.0) * (60.0 * *zone_hour + zone_minute.value_or(0));
  }
  return text.empty() ? std::optional(seconds / 86400.0) : std::nullopt;
}

}  // namespace

std::optional<double> parse_date(std::string_view text, DateOrder order) {
  const bool iso = text.find_first_not_of("0123456789") == 4;
  if (!iso && (order == DateOrder::year_first || order == DateOrder::none)) return std::nullopt;
  const auto a = take_digits(text, 4);
  if (!a || text.empty()) return std::nullopt;
  const char separator = text.front();
  if (separator != '-' && separator != '/' && separator != '.') return std::nullopt;
  text.remove_prefix(1);
  const auto b = take_digits(text, 2);
  if (!b || !take(text, separator)) return std::nullopt;
  const std::size_t before = text.size();
  const auto c = take_digits(text, iso ? 2 : 4);
  if (!c || (!iso && before - text.size() < 4)) return std::nullopt;  // "1/2/24": which century?
  const auto time = time_of_day(text);
  if (!time) return std::nullopt;
  const int year = iso ? *a : *c;
  const int month = iso || order == DateOrder::day_first ? *b : *a;
  const int day = iso ? *c : order == DateOrder::day_first ? *a : *b;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count()) + *time;
}

std::string date_order_name(DateOrder order) {
  for (const auto& [known, name] : names) {
    if (known == order) return name;
  }
  return "";
}

std::optional<DateOrder> parse_date_order(std::string_view name) {
  for (const auto& [order, known] : names) {
    if (name == known) return order;
  }
  return std::nullopt;
}

}  // namespace mmo
