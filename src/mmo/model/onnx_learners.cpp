#include "mmo/model/onnx_learners.h"

#include <cstdint>
#include <string>
#include <vector>

#include "mmo/core/error.h"
#include "mmo/learn/kernel/kernel_values.h"
#include "mmo/model/onnx_feature_map.h"

namespace mmo {
namespace {

// The arrays that TreeEnsembleRegressor wants: a line per node, and one per label of each leaf.
struct TreeTables {
  std::vector<std::int64_t> tree, node, feature, left, right, missing_left;
  std::vector<float> value;
  std::vector<std::string> mode;
  std::vector<std::int64_t> leaf_tree, leaf_node, leaf_label;
  std::vector<float> leaf_value;
};

void add_node(const ForestScorer& scorer, std::size_t tree, std::uint32_t index, TreeTables& out) {
  const std::size_t at = scorer.roots[tree] + index;
  const std::uint32_t child = scorer.child[at];
  const bool leaf = child == 0;
  const std::uint32_t word = scorer.feature[at];
  if (!leaf && (word & trees::nominal_flag) != 0)
    throw ModelError("ONNX has no tree node for sets of categories; train with --set learners=linear,kernel");
  out.tree.push_back(onnx_count(tree));
  out.node.push_back(index);
  out.feature.push_back(leaf ? 0 : word & trees::column_mask);
  out.value.push_back(leaf ? 0 : scorer.threshold[at]);
  out.mode.emplace_back(leaf ? "LEAF" : "BRANCH_LEQ");
  out.left.push_back(child);
  out.right.push_back(leaf ? 0 : child + 1);
  out.missing_left.push_back(!leaf && (word & trees::missing_left_flag) != 0 ? 1 : 0);
  if (!leaf) return;
  const auto add = [&](std::uint32_t label, float value) {
    out.leaf_tree.push_back(onnx_count(tree));
    out.leaf_node.push_back(index);
    out.leaf_label.push_back(label);
    out.leaf_value.push_back(value);
  };
  const std::uint32_t first = scorer.leaf_offsets[word];
  const std::uint32_t last = scorer.leaf_offsets[word + 1];
  if (first == last) add(0, 0);  // every leaf must have a label
  for (std::uint32_t k = first; k < last; ++k) add(scorer.leaf_labels[k], scorer.leaf_values[k]);
}

}  // namespace

// exp(−decay·|x − c|²) with |x − c|² = |x|² + |c|² − 2·x·c, or exp of its root; times W, plus b.
std::string onnx_scores(OnnxGraph& graph, const KernelScorer& scorer, const std::string& x) {
  const Landmarks landmarks(scorer.landmarks);
  const std::int64_t features = onnx_count(scorer.landmarks.rows);
  const std::int64_t count = onnx_count(scorer.landmarks.cols);
  const std::string mapped = onnx_feature_map(graph, scorer.map, scorer.landmarks.rows, x);
  const std::string own =
      graph.node("ReduceSumSquare", {mapped}, {{"axes", OnnxGraph::Shape{1}}, {"keepdims", std::int64_t{1}}});
  const std::string product =
      graph.node("MatMul", {mapped, graph.weight(scorer.landmarks.values, {features, count})});
  const std::string squares = graph.node("Add", {own, onnx_row(graph, landmarks.square_norms)});
  const std::string difference =
      graph.node("Sub", {squares, graph.node("Mul", {product, graph.scalar(2.0F)})});
  std::string distance = graph.node("Max", {difference, graph.scalar(0.0F)});
  if (scorer.kernel.kind == Kernel::Kind::exponential) distance = graph.node("Sqrt", {distance});
  const std::string values =
      graph.node("Exp", {graph.node("Mul", {distance, graph.scalar(-scorer.kernel.decay)})});
  const std::int64_t labels = onnx_count(scorer.bias.size());
  return graph.node("Gemm", {values, graph.weight(scorer.weights.values, {count, labels}),
                             graph.constant(scorer.bias, {labels})});
}

// The ensemble sums the leaves; then comes the scorer's link.
std::string onnx_scores(OnnxGraph& graph, const ForestScorer& scorer, const std::string& x) {
  TreeTables t;
  for (std::size_t tree = 0; tree < scorer.trees(); ++tree) {
    const std::uint32_t size = scorer.roots[tree + 1] - scorer.roots[tree];
    for (std::uint32_t node = 0; node < size; ++node) add_node(scorer, tree, node, t);
  }
  const std::string sums = graph.ml_node("TreeEnsembleRegressor", {x},
                                         {{"n_targets", onnx_count(scorer.labels)},
                                          {"nodes_treeids", t.tree},
                                          {"nodes_nodeids", t.node},
                                          {"nodes_featureids", t.feature},
                                          {"nodes_values", t.value},
                                          {"nodes_modes", t.mode},
                                          {"nodes_truenodeids", t.left},
                                          {"nodes_falsenodeids", t.right},
                                          {"nodes_missing_value_tracks_true", t.missing_left},
                                          {"target_treeids", t.leaf_tree},
                                          {"target_nodeids", t.leaf_node},
                                          {"target_ids", t.leaf_label},
                                          {"target_weights", t.leaf_value}});
  std::vector<float> base = scorer.base;
  if (scorer.link == ForestScorer::Link::logits) return graph.node("Add", {sums, onnx_row(graph, base)});
  for (float& share : base) share *= scorer.smoothing;
  const float scale = (1 - scorer.smoothing) / static_cast<float>(scorer.trees());
  const std::string shares =
      graph.node("Add", {graph.node("Mul", {sums, graph.scalar(scale)}), onnx_row(graph, base)});
  const std::string p = graph.node("Clip", {shares, graph.scalar(1e-6F), graph.scalar(1 - 1e-6F)});
  const std::string rest = graph.node("Sub", {graph.scalar(1.0F), p});
  return graph.node("Log", {graph.node("Div", {p, rest})});
}

}  // namespace mmo
