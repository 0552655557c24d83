// The encoders of deep/net as ONNX nodes; each adds its inputs and returns its features [N, D].
#pragma once

#include <string>

#include "deep/export/nodes.h"
#include "deep/net/network.h"

namespace mmo::deep {

// "input_ids" and "attention_mask", int64 [N, T]; the mask is 1 for tokens, 0 for padding.
std::string text_features(Nodes& nodes, const TransformerConfig& config, Pooling pooling);
// "images", float [N, 3, 224, 224]: red, green, blue from 0 to 255.
std::string resnet50_features(Nodes& nodes);
std::string efficientnet_lite0_features(Nodes& nodes);

}  // namespace mmo::deep
