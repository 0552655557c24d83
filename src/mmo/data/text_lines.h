// Text files that hold one document per line.
#pragma once

#include <cstddef>
#include <string_view>

namespace mmo {

// Calls visit(line) for each line, without its end ("\n" or "\r\n") and without a byte order mark at the
// start.
template <class Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    visit(line);
  }
}

}  // namespace mmo
