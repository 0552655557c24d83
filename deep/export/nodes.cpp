#include "deep/export/nodes.h"

namespace mmo::deep {

std::string Nodes::weight(const std::string& name) {
  const Tensor& values = kept_.emplace_back(parameters_[name].contiguous());
  return graph_.weight({values.data_ptr<float>(), static_cast<std::size_t>(values.numel())},
                       values.sizes().vec());
}

std::string Nodes::linear(const std::string& name, const std::string& x) {
  return graph_.node("Gemm", {x, weight(name + ".weight"), weight(name + ".bias")},
                     {{"transB", std::int64_t{1}}});
}

std::string Nodes::layer_norm(const std::string& name, const std::string& x, double epsilon) {
  return graph_.node("LayerNormalization", {x, weight(name + ".weight"), weight(name + ".bias")},
                     {{"axis", std::int64_t{-1}}, {"epsilon", static_cast<float>(epsilon)}});
}

std::string Nodes::convolution(const std::string& name, const std::string& norm, const std::string& x,
                               double epsilon, const std::map<std::string, OnnxGraph::Attribute>& how) {
  const std::string y = graph_.node("Conv", {x, weight(name + ".weight")}, how);
  return graph_.node("BatchNormalization",
                     {y, weight(norm + ".weight"), weight(norm + ".bias"), weight(norm + ".running_mean"),
                      weight(norm + ".running_var")},
                     {{"epsilon", static_cast<float>(epsilon)}});
}

std::string Nodes::mean_over_pixels(const std::string& x_NCHW) {
  return graph_.node("Flatten", {graph_.node("GlobalAveragePool", {x_NCHW})});
}

}  // namespace mmo::deep
