// The end shared by all exported models: from scores to decisions.
#pragma once

#include <string>
#include <vector>

#include "mmo/model/onnx_graph.h"
#include "mmo/rule/decision_rule.h"

namespace mmo {

// Outputs "scores" [N, l] (z itself: its σ is the probability) and "labels" [N, l] (the rule's decisions, 0
// or 1); the labels' and the metric's names as JSON under the metadata key "mmo".
void add_outputs(OnnxGraph& graph, const DecisionRule& rule, const std::string& z,
                 const std::vector<std::string>& label_names, const std::string& metric);

}  // namespace mmo
