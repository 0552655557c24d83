#pragma once

#include <string>

namespace mmo {

// "0.1.0", as in CMakeLists.txt.
[[nodiscard]] std::string version();

}  // namespace mmo
