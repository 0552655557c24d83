// Features that give a label away: a copy of it left among the features, or something that was written down
// because of it.
#pragma once

#include <string>
#include <vector>

#include "mmo/data/dataset.h"

namespace mmo {

// One remark for each feature that says in every row what a label says, or the opposite. Labels of few rows
// are not looked at: rare words agree with them by chance.
[[nodiscard]] std::vector<std::string> leak_warnings(const Dataset& data);

}  // namespace mmo
