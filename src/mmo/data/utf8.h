// Whether text is UTF-8, as every reader expects it.
#pragma once

#include <string_view>

namespace mmo {

[[nodiscard]] bool is_utf8(std::string_view text);

inline constexpr const char* how_to_recode =
    "convert the file to UTF-8 first, for instance by `iconv -f latin1 -t utf-8`";

}  // namespace mmo
