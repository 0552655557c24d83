// Which feature map: the one with the lowest held-out log-loss of a single mid-strength logistic fit,
// screened on one fold, a bounded number of rows and at most so many labels.
#pragma once

#include <vector>

#include "mmo/learn/linear/mapped_problem.h"

namespace mmo {

struct MapCandidate {
  FeatureMap::Kind kind = FeatureMap::Kind::identity;
  double log_loss = 0;
};

struct ChosenMap {
  MappedProblem mapped;
  std::vector<MapCandidate> candidates;  // empty when there was nothing to choose
};

[[nodiscard]] ChosenMap choose_map(const Problem& problem, const Features& encoded,
                                   const std::vector<FeatureMap::Kind>& kinds, std::size_t labels);

}  // namespace mmo
