// The feature map as ONNX nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mmo/model/onnx_graph.h"
#include "mmo/transform/feature_map.h"

namespace mmo {

inline std::int64_t onnx_count(std::size_t n) { return static_cast<std::int64_t>(n); }

// A constant row, to be added to every row or multiplied with it.
inline std::string onnx_row(OnnxGraph& graph, const std::vector<float>& values) {
  return graph.constant(values, {1, onnx_count(values.size())});
}

// x: the name of the features [N, columns]; returns that of the mapped features.
[[nodiscard]] std::string onnx_feature_map(OnnxGraph& graph, const FeatureMap& map, std::size_t columns,
                                           const std::string& x);

}  // namespace mmo
