#include "mmo/data/cells.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <array>
#include <system_error>

namespace mmo {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<float> parse_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  float value = 0;
  const auto [stop, status] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  // Out of range leaves ±infinity or 0, which is what the caller wants to see.
  if (status != std::errc() && status != std::errc::result_out_of_range) return std::nullopt;
  if (stop != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_missing(std::string_view text) {
  constexpr std::array<std::string_view, 6> words{"", "?", "nan", "na", "n/a", "null"};
  return text.size() <= 4 && std::any_of(words.begin(), words.end(),
                                         [&](std::string_view word) { return same_word(text, word); });
}

std::optional<bool> parse_flag(std::string_view text) {
  if (text == "1" || same_word(text, "true") || same_word(text, "yes")) return true;
  if (text == "0" || same_word(text, "false") || same_word(text, "no")) return false;
  const std::optional<float> number = parse_number(text);
  if (number == 1.0F) return true;
  if (number == 0.0F) return false;
  return std::nullopt;
}

}  // namespace mmo
