// Programs in the same folder that hold optional parts.
#pragma once

#include <string>
#include <vector>

namespace mmo::cli {

// Turns this process into `name` from the running program's folder. Returns, with an exit code and after a
// message, only if that fails; `if_missing` says what to do if there is no such program.
int become_sibling(const std::string& name, const std::vector<std::string>& arguments,
                   const std::string& if_missing);

}  // namespace mmo::cli
