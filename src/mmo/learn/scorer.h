// What a learner leaves in the model: plain arrays, so that a scorer fits a data-only file and ONNX. Every
// learner's arrays are declared here; the learner's own room fits them and scores rows with them.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/learn/trees/forest_scorer.h"
#include "mmo/transform/feature_map.h"

namespace mmo {

// z = map(x)·W + b
struct LinearScorer {
  FeatureMap map;
  DenseMatrix weights;      // d × l
  std::vector<float> bias;  // l
};

// k(x, c) = exp(−decay·|x − c|²) or exp(−decay·|x − c|)
struct Kernel {
  enum class Kind : std::uint8_t { gaussian, exponential };
  Kind kind = Kind::gaussian;
  float decay = 1;
};

// z = k(map(x), landmarks)·W + b
struct KernelScorer {
  FeatureMap map;
  Kernel kernel;
  DenseMatrix landmarks;    // d × m: a landmark is a column
  DenseMatrix weights;      // m × l
  std::vector<float> bias;  // l
};

// ForestScorer: learn/trees/forest_scorer.h
using Scorer = std::variant<LinearScorer, KernelScorer, ForestScorer>;

}  // namespace mmo
