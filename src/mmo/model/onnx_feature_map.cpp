#include "mmo/model/onnx_feature_map.h"

#include <bit>
#include <limits>

namespace mmo {
namespace {

using Shape = OnnxGraph::Shape;
constexpr float infinity = std::numeric_limits<float>::infinity();

// The largest k with knots[k] ≤ x, found by halving: all cells at once, log₂(knots) steps, no N × d × knots
// tensor. Columns are padded with +∞ to a power of two; entry (j, k) lies at j·padded + k of the flat table.
std::string rank_gauss(OnnxGraph& graph, const FeatureMap& map, std::size_t columns, const std::string& x) {
  const std::size_t padded = std::bit_ceil(map.knots);
  std::vector<float> values;
  std::vector<float> scores;
  std::vector<std::int64_t> bases;
  for (std::size_t j = 0; j < columns; ++j) {
    const auto first = static_cast<std::ptrdiff_t>(j * map.knots);
    const auto last = static_cast<std::ptrdiff_t>((j + 1) * map.knots);
    values.insert(values.end(), map.knot_values.begin() + first, map.knot_values.begin() + last);
    scores.insert(scores.end(), map.knot_scores.begin() + first, map.knot_scores.begin() + last);
    values.resize((j + 1) * padded, infinity);
    scores.resize((j + 1) * padded, scores.back());
    bases.push_back(onnx_count(j * padded));
  }
  const std::string value_table = graph.constant(values, {onnx_count(values.size())});
  const std::string score_table = graph.constant(scores, {onnx_count(scores.size())});
  const std::string base = graph.constant(bases, {1, onnx_count(columns)});
  const auto gather = [&](const std::string& table, const std::string& index) {
    return graph.node("Gather", {table, index});
  };

  std::string at = graph.node("Expand", {base, graph.node("Shape", {x})});
  for (std::size_t step = padded / 2; step > 0; step /= 2) {
    const std::string ahead = graph.node("Add", {at, graph.scalar(onnx_count(step))});
    const std::string reached = graph.node("GreaterOrEqual", {x, gather(value_table, ahead)});
    at = graph.node("Where", {reached, ahead, at});
  }
  const std::string last = graph.node("Add", {base, graph.scalar(onnx_count(padded - 1))});
  const std::string above = graph.node("Min", {graph.node("Add", {at, graph.scalar(std::int64_t{1})}), last});
  const std::string x0 = gather(value_table, at);
  const std::string s0 = gather(score_table, at);
  const std::string width = graph.node("Sub", {gather(value_table, above), x0});
  const std::string safe_width =
      graph.node("Where", {graph.node("Greater", {width, graph.scalar(0.0F)}), width, graph.scalar(1.0F)});
  const std::string share = graph.node("Clip", {graph.node("Div", {graph.node("Sub", {x, x0}), safe_width}),
                                                graph.scalar(0.0F), graph.scalar(1.0F)});
  const std::string rise = graph.node("Sub", {gather(score_table, above), s0});
  return graph.node("Add", {s0, graph.node("Mul", {share, rise})});
}

std::string unit_rows(OnnxGraph& graph, const std::string& x) {
  const std::string norm = graph.node("ReduceL2", {x}, {{"axes", Shape{1}}, {"keepdims", std::int64_t{1}}});
  const std::string positive = graph.node("Greater", {norm, graph.scalar(0.0F)});
  return graph.node("Div", {x, graph.node("Where", {positive, norm, graph.scalar(1.0F)})});
}

}  // namespace

std::string onnx_feature_map(OnnxGraph& graph, const FeatureMap& map, std::size_t columns,
                             const std::string& x) {
  using Kind = FeatureMap::Kind;
  const auto scaled = [&] {
    const std::string centred = graph.node("Sub", {x, onnx_row(graph, map.centre)});
    return graph.node("Mul", {centred, onnx_row(graph, map.scale)});
  };
  switch (map.kind) {
    case Kind::identity:
      return x;
    case Kind::standardise:
      return scaled();
    case Kind::arcsinh:
      return graph.node("Sub", {graph.node("Asinh", {scaled()}), onnx_row(graph, map.offset)});
    case Kind::rank_gauss:
      return rank_gauss(graph, map, columns, x);
    case Kind::l2_rows:
      return unit_rows(graph, x);
    case Kind::idf_l2:
      return unit_rows(graph, graph.node("Mul", {x, onnx_row(graph, map.scale)}));
    case Kind::sqrt_l2:
      break;
  }
  const std::string root = graph.node("Sqrt", {graph.node("Abs", {x})});
  return unit_rows(graph, graph.node("Mul", {graph.node("Sign", {x}), root}));
}

}  // namespace mmo
