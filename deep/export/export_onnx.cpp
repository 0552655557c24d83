#include "deep/export/export_onnx.h"

#include "deep/export/encoders.h"
#include "mmo/model/onnx_outputs.h"

namespace mmo::deep {
namespace {

std::string features(Nodes& nodes, const Network& network) {
  switch (network.encoder.kind) {
    case EncoderKind::text:
      return text_features(nodes, network.encoder.text, network.encoder.pooling);
    case EncoderKind::resnet50:
      return resnet50_features(nodes);
    case EncoderKind::efficientnet_lite0:
      return efficientnet_lite0_features(nodes);
    default:
      nodes.graph().input("features", OnnxType::float32, {"N", network.head.in});
      return "features";
  }
}

std::string scores(Nodes& nodes, const Head& head, const std::string& features_ND) {
  OnnxGraph& graph = nodes.graph();
  const std::string centred = graph.node("Sub", {features_ND, nodes.weight("head.mean")});
  std::string x = graph.node("Mul", {centred, nodes.weight("head.scale")});
  if (head.hidden > 0) x = graph.node("Relu", {nodes.linear("head.hidden", x)});
  return nodes.linear("head.output", x);
}

}  // namespace

std::vector<std::string> onnx_inputs(EncoderKind kind) {
  if (kind == EncoderKind::none) return {"features"};
  if (kind == EncoderKind::text) return {"input_ids", "attention_mask"};
  return {"images"};
}

void export_network(const DeepModel& model, const std::string& path, bool overwrite) {
  OnnxGraph graph;
  Nodes nodes(graph, model.network.parameters);
  const std::string z = scores(nodes, model.network.head, features(nodes, model.network));
  add_outputs(graph, model.rule, z, model.label_names, model.metric);
  if (model.network.encoder.kind == EncoderKind::text) {
    graph.metadata("vocabulary", model.vocabulary);
    graph.metadata("tokens", std::to_string(model.tokens));
  }
  graph.write(path, overwrite);
}

}  // namespace mmo::deep
