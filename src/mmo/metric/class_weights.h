// How much a label's positives and negatives count.
#pragma once

#include <span>

#include "mmo/metric/metric.h"

namespace mmo {

struct ClassWeights {
  double positive = 1;  // of TP and FN
  double negative = 1;  // of FP and TN
};

// The metric with each label's counts weighted like this: the weights are part of it and reach costs, search
// and evaluation alike, and its name says so. One pair per label.
[[nodiscard]] Metric weight_classes(const Metric& metric, std::span<const ClassWeights> weights);

}  // namespace mmo
