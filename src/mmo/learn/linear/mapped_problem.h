// The problem seen through one feature map, with what the linear fits prepare once for all their columns.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "mmo/learn/problem.h"
#include "mmo/objective/column_data.h"
#include "mmo/transform/feature_map.h"

namespace mmo {

struct MappedProblem {
  const Problem* problem = nullptr;
  FeatureMap map;
  const Features* encoded = nullptr;
  Features changed;                           // the encoded features mapped, unless the map is the identity
  std::vector<float> sizes;                   // Σ_i weight·x_ik², bias last
  std::unique_ptr<LazyTranspose> transposed;  // of sparse x
  std::optional<FeatureMoments> moments;      // of dense x that is to be whitened
  double mean_spread = 0;                     // tr(XcᵀXc)/d: the scale of L2

  [[nodiscard]] const Features& x() const {
    return map.kind == FeatureMap::Kind::identity ? *encoded : changed;
  }
  [[nodiscard]] ColumnData columns() const;
};

// How many pairs of steps L-BFGS keeps: on sparse features its vectors are most of the work.
[[nodiscard]] inline std::size_t pairs_kept(const Features& x) {
  return std::holds_alternative<CsrMatrix>(x) ? 4 : 8;
}

// Dense features, at most so many, are whitened where that pays for so many columns to solve.
inline constexpr std::size_t most_whitened_features = 1500;  // d² of memory
// `encoded` must outlive the result.
[[nodiscard]] MappedProblem map_problem(const Problem& problem, const Features& encoded,
                                        FeatureMap::Kind kind, std::size_t columns);

}  // namespace mmo
