// `mmo deep …` and `mmo paper deep …` are the program mmo-deep beside this one, so that `mmo` itself never
// links libtorch.
#pragma once

#include <string>
#include <vector>

namespace mmo::cli {

[[nodiscard]] bool is_deep(const std::vector<std::string>& arguments);
// Becomes mmo-deep; returns an exit code only when that is not possible.
int run_deep(const std::vector<std::string>& arguments);

}  // namespace mmo::cli
