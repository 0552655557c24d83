// `mmo deep …` and `mmo paper deep …` run mmo-deep, a separate program in the same folder, so that `mmo`
// itself never links libtorch.
#pragma once

#include <string>
#include <vector>

namespace mmo::cli {

[[nodiscard]] bool is_deep(const std::vector<std::string>& arguments);
// Becomes mmo-deep; returns, with an exit code, only if that is impossible.
int run_deep(const std::vector<std::string>& arguments);

}  // namespace mmo::cli
