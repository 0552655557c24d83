#pragma once

#include <string>

namespace mmo {

// "0.1.0", as in CMakeLists.txt.
[[nodiscard]] std::string version();

// The commit that was built, as git names it ("d61088f", "-dirty" with changes); "unknown source" without
// git.
[[nodiscard]] std::string source_revision();

}  // namespace mmo
