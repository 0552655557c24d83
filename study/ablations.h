// What each part of the default method is worth.
#pragma once

#include <vector>

#include "mmo/report/compare.h"

namespace mmo::study {

// The default method, then the same with one part changed at a time; feature maps differ for sparse data.
[[nodiscard]] std::vector<MethodSpec> ablations(bool sparse);

}  // namespace mmo::study
