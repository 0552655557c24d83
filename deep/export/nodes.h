// The layers of the networks as nodes of an ONNX graph. Weights are not copied: they still belong to the
// network until the graph is written.
#pragma once

#include <string>
#include <vector>

#include "deep/net/parameters.h"
#include "mmo/model/onnx_graph.h"

namespace mmo::deep {

class Nodes {
 public:
  Nodes(OnnxGraph& graph, const Parameters& parameters) : graph_(graph), parameters_(parameters) {}

  [[nodiscard]] OnnxGraph& graph() { return graph_; }
  std::string weight(const std::string& name);
  // Names and meaning as in deep/net/parameters.h; `linear` applies to the rows of a matrix.
  std::string linear(const std::string& name, const std::string& x);
  std::string layer_norm(const std::string& name, const std::string& x, double epsilon);
  // Convolution without bias, then normalisation by running statistics.
  std::string convolution(const std::string& name, const std::string& norm, const std::string& x,
                          double epsilon, const std::map<std::string, OnnxGraph::Attribute>& how);
  std::string mean_over_pixels(const std::string& x_NCHW);

 private:
  OnnxGraph& graph_;
  const Parameters& parameters_;
  std::vector<Tensor> kept_;  // what the graph points into
};

}  // namespace mmo::deep
