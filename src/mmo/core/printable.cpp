#include "mmo/core/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace mmo {
namespace {

struct Control {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0 = none starts here
};

// The control character of UTF-8 text at its beginning, if there is one.
Control control_at(std::string_view text) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x20 || first == 0x7F) return {first, 1};
  if (first == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return {byte(1), 2};  // C1
  if (first != 0xE2) return {};
  const std::uint32_t code = 0x2000 + ((byte(1) & 0x3FU) << 6U) + (byte(2) & 0x3FU);
  const bool line_or_direction = code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
                                 (code >= 0x2066 && code <= 0x2069);
  return byte(1) >= 0x80 && byte(2) >= 0x80 && line_or_direction ? Control{code, 3} : Control{};
}

template <class Escape>
std::string escape_controls(std::string_view text, std::string_view allowed, const Escape& escape) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Control control = control_at(text);
    if (control.bytes == 0 || allowed.find(text[0]) != std::string_view::npos) {
      out += text[0];
      text.remove_prefix(1);
    } else {
      out += escape(control.code);
      text.remove_prefix(control.bytes);
    }
  }
  return out;
}

std::string utf8(std::uint32_t code) {
  const auto tail = [](std::uint32_t bits) { return static_cast<char>(0x80U | (bits & 0x3FU)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0U | code >> 6U), tail(code)};
  return {static_cast<char>(0xE0U | code >> 12U), tail(code >> 6U), tail(code)};
}

// The control character whose printable() spelling `text` starts with; empty if there is none.
std::string spelled_control(std::string_view text) {
  const std::size_t digits = text.starts_with("\\x") ? 2 : text.starts_with("\\u") ? 4 : 0;
  std::uint32_t code = 0;
  const std::string_view hex = text.substr(std::min<std::size_t>(2, text.size()), digits);
  const auto [end, status] = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
  if (digits == 0 || status != std::errc()) return {};
  const std::string character = utf8(code);
  const bool control = control_at(character).bytes == character.size();
  return control && text.starts_with(printable(character)) ? character : std::string();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_formula(std::string_view name) {
  constexpr std::string_view starts = "=+-@";
  if (name.empty() || starts.find(name[0]) == std::string_view::npos) return false;
  return name.size() == 1 || name.find_first_not_of("0123456789.", 1) != std::string_view::npos;
}

}  // namespace

std::string printable(std::string_view text, std::string_view allowed) {
  return escape_controls(text, allowed, [](std::uint32_t code) {
    return code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
  });
}

std::string printable_json(std::string_view json) {
  return escape_controls(json, "\n", [](std::uint32_t code) { return fmt::format("\\u{:04x}", code); });
}

std::string csv_name(std::string_view name) { return (is_formula(name) ? "'" : "") + printable(name); }

std::string name_in_csv(std::string_view cell) {
  if (cell.starts_with('\'') && is_formula(cell.substr(1))) cell.remove_prefix(1);
  std::string name;
  while (!cell.empty()) {
    const std::string control = spelled_control(cell);
    name += control.empty() ? std::string(1, cell[0]) : control;
    cell.remove_prefix(control.empty() ? 1 : printable(control).size());
  }
  return name;
}

std::string shortened(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xC0U) == 0x80) --longest;
  return std::string(text.substr(0, longest)) + "…";
}

std::string with_short_numbers(std::string_view text) {
  constexpr std::size_t longest = 40;
  constexpr std::size_t kept = 12;
  std::string out;
  for (std::size_t k = 0; k < text.size();) {
    const std::size_t begin = k;
    while (k < text.size() && is_digit(text[k])) ++k;
    if (k == begin) {
      out += text[k++];
    } else if (k - begin <= longest) {
      out += text.substr(begin, k - begin);
    } else {
      out += fmt::format("{}…({} digits)", text.substr(begin, kept), k - begin);
    }
  }
  return out;
}

}  // namespace mmo
