// What a learner leaves in the model: plain arrays, so that a scorer fits a data-only file and ONNX. Every
// learner's arrays are declared here; the learner's own room fits them and scores rows with them.
#pragma once

#include <variant>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/transform/feature_map.h"

namespace mmo {

// z = map(x)·W + b
struct LinearScorer {
  FeatureMap map;
  DenseMatrix weights;      // d × l
  std::vector<float> bias;  // l
};

using Scorer = std::variant<LinearScorer>;

}  // namespace mmo
