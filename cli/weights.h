// Label weights and class weights from files.
#pragma once

#include <string>
#include <vector>

#include "mmo/data/dataset.h"
#include "mmo/metric/metric.h"

namespace mmo::cli {

// One weight per label: a JSON object {"name": weight} (unlisted labels weigh 1), a JSON list of l numbers,
// or l lines. "" = none (an empty vector).
[[nodiscard]] std::vector<float> read_label_weights(const std::string& path, const Dataset& data);

// JSON {"name": {"positive": 5, "negative": 1}}; the name "*" stands for all labels not listed. A label's
// positives multiply TP and FN, its negatives FP and TN, so the weights become part of the metric and reach
// costs, search and evaluation alike, and its name says so. "" = the metric unchanged.
[[nodiscard]] Metric weight_classes(const Metric& metric, const std::string& path, const Dataset& data);

}  // namespace mmo::cli
