// Row weights kept apart from the data: one number per line, or a JSON list of numbers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mmo {

// Throws DataError unless there are `rows` finite weights of at least 0.
[[nodiscard]] std::vector<float> read_weights_file(const std::string& path, std::size_t rows);

}  // namespace mmo
