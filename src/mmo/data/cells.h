// What the text of one cell means, for the table formats (ARFF, CSV, TSV).
#pragma once

#include <optional>
#include <string_view>

namespace mmo {

[[nodiscard]] std::string_view trimmed(std::string_view text);
// ASCII case is ignored.
[[nodiscard]] bool same_word(std::string_view a, std::string_view b);

// The whole of `text` as a number; "nan" is NaN and anything too large for float32 is infinite.
[[nodiscard]] std::optional<float> parse_number(std::string_view text);

// "", "?", "nan", "na", "n/a", "null": how tables write that a value is not known.
[[nodiscard]] bool is_missing(std::string_view text);

// 1, true, yes → true; 0, false, no → false (also 1.0 and 0.0); anything else → nothing.
[[nodiscard]] std::optional<bool> parse_flag(std::string_view text);

}  // namespace mmo
