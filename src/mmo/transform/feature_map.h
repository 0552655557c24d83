// The feature map: the first of a model's four stages. Fitted on training rows, then fixed.
// Every kind takes dense and sparse rows and gives the same numbers for both; the dense kinds shift zeros, so
// they return dense rows.
#pragma once

#include <string>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

struct FeatureMap {
  enum class Kind {
    identity,     // both
    standardise,  // dense: (x − mean) / sd
    arcsinh,      // dense: asinh((x − median) / (IQR / 1.35)), then centred
    rank_gauss,   // dense: normal quantile of the rank among training values
    l2_rows,      // sparse: rows of length 1
    idf_l2,       // sparse: x · (log((1 + n) / (1 + df)) + 1), rows of length 1
    sqrt_l2,      // sparse: sign(x)·√|x|, rows of length 1
  };
  Kind kind = Kind::identity;
  std::vector<float> centre;  // standardise, arcsinh: subtracted first
  std::vector<float>
      scale;  // standardise, arcsinh: multiplier (0 = constant column); idf_l2: the idf weights
  std::vector<float> offset;  // arcsinh: training mean of the result, subtracted last
  // rank_gauss, row-major d × knots: training values of each column, ascending, and the normal scores of
  // their mid-ranks. Between knots scores are interpolated, outside they are clamped. A column with fewer
  // distinct values repeats its last knot.
  std::size_t knots = 0;
  std::vector<float> knot_values;
  std::vector<float> knot_scores;

  [[nodiscard]] Features apply(const Features& x) const;
};

[[nodiscard]] std::string kind_name(FeatureMap::Kind kind);
// Throws UsageError that lists the names.
[[nodiscard]] FeatureMap::Kind parse_feature_map(const std::string& name);
// x: finite values, at least one row.
[[nodiscard]] FeatureMap fit_feature_map(FeatureMap::Kind kind, const Features& x);

}  // namespace mmo
