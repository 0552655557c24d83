// "Did you mean …?": the known name closest to a misspelt one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mmo {

// Levenshtein distance.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The known name that `name` was probably meant to be; empty if none is close.
[[nodiscard]] std::string nearest(std::string_view name, const std::vector<std::string>& known);

}  // namespace mmo
