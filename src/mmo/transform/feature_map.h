// The feature map: the first of a model's four stages. Fitted on training rows, then fixed.
#pragma once

#include <string>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

struct FeatureMap {
  enum class Kind {
    identity,        // both
    standardise,     // dense: (x − mean) / sd
    arcsinh,         // dense: asinh((x − median) / (IQR / 1.35)), then centred
    rank_gauss,      // dense: normal quantile of the rank among training values
    l2_rows,         // sparse: rows of length 1
    idf_l2,          // sparse: x · log((1 + n) / (1 + df)) + 1, rows of length 1
    sqrt_l2,         // sparse: sign(x)·√|x|, rows of length 1
  };
  Kind kind = Kind::identity;
  std::vector<float> centre;  // dense kinds
  std::vector<float> scale;   // dense: multiplier; idf_l2: the idf weights
  // rank_gauss: for each column `knots` ascending values (row-major d × knots) at equally spaced normal
  // scores; values between knots are interpolated, values outside are clamped.
  std::size_t knots = 0;
  std::vector<float> knot_values;
  std::vector<float> knot_scores;

  [[nodiscard]] Features apply(const Features& x) const;
};

[[nodiscard]] std::string kind_name(FeatureMap::Kind kind);
[[nodiscard]] FeatureMap::Kind parse_feature_map(const std::string& name);
[[nodiscard]] FeatureMap fit_feature_map(FeatureMap::Kind kind, const Features& x);

}  // namespace mmo
