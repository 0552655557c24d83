#include "deep/data/image.h"
#include "deep/export/encoders.h"
#include "deep/net/convnets.h"

namespace mmo::deep {
namespace {

using Ints = std::vector<std::int64_t>;

std::string normalised_images(OnnxGraph& graph, const Normalisation& by) {
  constexpr auto side = static_cast<std::int64_t>(image_size);
  graph.input("images", OnnxType::float32, {"N", std::int64_t{3}, side, side});
  const std::string centred = graph.node("Sub", {"images", graph.constant(by.mean, {1, 3, 1, 1})});
  return graph.node("Div", {centred, graph.constant(by.scale, {1, 3, 1, 1})});
}

class ResNet50 {
 public:
  explicit ResNet50(Nodes& nodes) : nodes_(nodes), graph_(nodes.graph()) {}

  std::string features() {
    std::string x = normalised_images(graph_, imagenet_normalisation);
    x = relu(convolution("conv1", "bn1", x, 7, 2));
    x = graph_.node("MaxPool", {x},
                    {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}});
    for (const Bottleneck& block : resnet50_blocks()) x = bottleneck(block, x);
    return nodes_.mean_over_pixels(x);
  }

 private:
  std::string relu(const std::string& x) { return graph_.node("Relu", {x}); }
  std::string convolution(const std::string& name, const std::string& norm, const std::string& x,
                          std::int64_t kernel, std::int64_t stride) {
    const std::int64_t pad = (kernel - 1) / 2;
    return nodes_.convolution(name, norm, x, resnet50_epsilon,
                              {{"strides", Ints{stride, stride}}, {"pads", Ints{pad, pad, pad, pad}}});
  }
  std::string bottleneck(const Bottleneck& block, const std::string& x) {
    const std::string& at = block.name;
    std::string y = relu(convolution(at + "conv1", at + "bn1", x, 1, 1));
    y = relu(convolution(at + "conv2", at + "bn2", y, 3, block.stride));
    y = convolution(at + "conv3", at + "bn3", y, 1, 1);
    const std::string shortcut =
        block.projected ? convolution(at + "downsample.0", at + "downsample.1", x, 1, block.stride) : x;
    return relu(graph_.node("Add", {y, shortcut}));
  }

  Nodes& nodes_;
  OnnxGraph& graph_;
};

class EfficientNetLite0 {
 public:
  explicit EfficientNetLite0(Nodes& nodes) : nodes_(nodes), graph_(nodes.graph()) {}

  std::string features() {
    std::string x = normalised_images(graph_, lite_normalisation);
    x = relu6(convolution("_conv_stem", "_bn0", x, 2, 1));
    for (const InvertedBottleneck& block : efficientnet_lite0_blocks()) x = bottleneck(block, x);
    return nodes_.mean_over_pixels(relu6(convolution("_conv_head", "_bn1", x, 1, 1)));
  }

 private:
  std::string relu6(const std::string& x) {
    return graph_.node("Clip", {x, graph_.scalar(0.0F), graph_.scalar(6.0F)});
  }
  // SAME_UPPER is TensorFlow's "same": the odd pixel of padding below and to the right.
  std::string convolution(const std::string& name, const std::string& norm, const std::string& x,
                          std::int64_t stride, std::int64_t groups) {
    return nodes_.convolution(
        name, norm, x, efficientnet_lite0_epsilon,
        {{"strides", Ints{stride, stride}}, {"group", groups}, {"auto_pad", std::string("SAME_UPPER")}});
  }
  std::string bottleneck(const InvertedBottleneck& block, const std::string& x) {
    const std::string& at = block.name;
    std::string y = x;
    if (block.widened()) y = relu6(convolution(at + "_expand_conv", at + "_bn0", y, 1, 1));
    y = relu6(convolution(at + "_depthwise_conv", at + "_bn1", y, block.stride, block.inner));
    y = convolution(at + "_project_conv", at + "_bn2", y, 1, 1);
    return block.added_to_input() ? graph_.node("Add", {x, y}) : y;
  }

  Nodes& nodes_;
  OnnxGraph& graph_;
};

}  // namespace

std::string resnet50_features(Nodes& nodes) { return ResNet50(nodes).features(); }
std::string efficientnet_lite0_features(Nodes& nodes) { return EfficientNetLite0(nodes).features(); }

}  // namespace mmo::deep
