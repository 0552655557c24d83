// Programs beside this one that hold optional parts.
#pragma once

#include <string>
#include <vector>

namespace mmo::cli {

// This process becomes `name` from the folder of the running program. Returns, with an exit code and after a
// message, only where that fails; `if_missing` says what to do where there is no such program.
int become_sibling(const std::string& name, const std::vector<std::string>& arguments,
                   const std::string& if_missing);

}  // namespace mmo::cli
