// Learners other than the linear one as ONNX nodes: encoded x [N, d] → scores [N, l].
#pragma once

#include <string>

#include "mmo/learn/scorer.h"
#include "mmo/model/onnx_graph.h"

namespace mmo {

[[nodiscard]] std::string onnx_scores(OnnxGraph& graph, const KernelScorer& scorer, const std::string& x);
// Throws ModelError for trees that split categories: ONNX has no such node.
[[nodiscard]] std::string onnx_scores(OnnxGraph& graph, const ForestScorer& scorer, const std::string& x);

}  // namespace mmo
