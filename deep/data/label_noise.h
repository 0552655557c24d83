// Labels made to go missing (the paper's second ablation).
#pragma once

#include <cstdint>

#include "mmo/core/matrix.h"

namespace mmo::deep {

// Forgets each positive cell with probability `share`.
[[nodiscard]] LabelMatrix drop_positives(const LabelMatrix& labels, double share, std::uint64_t seed);

}  // namespace mmo::deep
