// The rank-gauss feature map: the normal quantile of a value's rank among the training values.
#pragma once

#include "mmo/core/matrix.h"
#include "mmo/transform/feature_map.h"

namespace mmo {

// Sets the knots of `map`.
void fit_rank_gauss(const DenseMatrix& x, FeatureMap& map);
// Replaces the values of rows first … last − 1 by their scores.
void apply_rank_gauss(const FeatureMap& map, DenseMatrix& x, std::size_t first, std::size_t last);

// Φ⁻¹(p) for 0 < p < 1.
[[nodiscard]] double normal_quantile(double p);

}  // namespace mmo
