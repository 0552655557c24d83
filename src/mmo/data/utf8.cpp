#include "mmo/data/utf8.h"

#include <utf8proc.h>

#include <cstdint>
#include <cstring>

namespace mmo {

bool is_utf8(std::string_view text) {
  constexpr std::uint64_t high_bits = 0x8080808080808080U;
  const auto* data = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    std::uint64_t eight = high_bits;
    if (i + sizeof eight <= text.size()) std::memcpy(&eight, data + i, sizeof eight);
    if ((eight & high_bits) == 0) {  // ASCII: no need to look at single characters
      i += sizeof eight;
      continue;
    }
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t length =
        utf8proc_iterate(data + i, static_cast<utf8proc_ssize_t>(text.size() - i), &code);
    if (length <= 0) return false;
    i += static_cast<std::size_t>(length);
  }
  return true;
}

}  // namespace mmo
