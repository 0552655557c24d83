// The model's four stages as ONNX nodes: features [N, d] → feature map → Gemm, other learners → mix →
// "scores" [N, l] and the decisions "labels" [N, l] (0 or 1).
#include "mmo/core/error.h"
#include "mmo/model/model.h"
#include "mmo/model/onnx_feature_map.h"
#include "mmo/model/onnx_learners.h"
#include "mmo/model/onnx_outputs.h"

namespace mmo {
namespace {

// z′ = a·z + (σ(z) − centre)·V + c.
std::string label_mix(OnnxGraph& graph, const LabelMix& mix, const std::string& z) {
  const std::int64_t labels = onnx_count(mix.centre.size());
  const std::string centred = graph.node("Sub", {graph.node("Sigmoid", {z}), onnx_row(graph, mix.centre)});
  const std::string influence =
      graph.node("MatMul", {centred, graph.weight(mix.weights.values, {labels, labels})});
  const std::string own = graph.node("Mul", {z, graph.scalar(mix.scale)});
  return graph.node("Add", {graph.node("Add", {own, graph.scalar(mix.shift)}), influence});
}

}  // namespace

void export_onnx(const Model& model, const std::string& path, bool overwrite) {
  if (model.wants_table()) {
    throw ModelError(
        "the model's trees split on categories and missing values, which ONNX's trees over encoded features "
        "can't express; train with --set learners=linear,kernel");
  }
  if (model.trees) {
    throw ModelError(
        "the model finds each row's labels by a search through trees of labels, which ONNX can't express; "
        "train with --set labels=all where memory allows");
  }
  const std::size_t columns = model.weights.rows;
  const std::size_t labels = model.labels();
  OnnxGraph graph;
  graph.input("features", OnnxType::float32, {"N", onnx_count(columns)});
  const std::string mapped = onnx_feature_map(graph, model.feature_map, columns, "features");
  std::string z = graph.node(
      "Gemm", {mapped, graph.weight(model.weights.values, {onnx_count(columns), onnx_count(labels)}),
               graph.constant(model.bias, {onnx_count(labels)})});
  for (const WeightedScorer& other : model.others) {
    const std::string scores =
        std::visit([&](const auto& scorer) { return onnx_scores(graph, scorer, "features"); }, other.scorer);
    z = graph.node("Add", {z, graph.node("Mul", {scores, onnx_row(graph, other.weights)})});
  }
  if (model.mix) z = label_mix(graph, *model.mix, z);
  std::vector<std::string> names;
  for (std::size_t j = 0; j < labels; ++j) names.push_back(model.label_name(j));
  add_outputs(graph, model.rule, z, names, model.metric.name);
  graph.write(path, overwrite);
}

}  // namespace mmo
