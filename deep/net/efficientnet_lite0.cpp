#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "deep/net/convnets.h"

namespace mmo::deep {
namespace {

struct Stage {
  int blocks;
  std::int64_t kernel, stride, expansion, out;
};
constexpr std::array<Stage, 7> stages{{{1, 3, 1, 1, 16},
                                       {2, 3, 2, 6, 24},
                                       {2, 5, 2, 6, 40},
                                       {3, 3, 2, 6, 80},
                                       {3, 5, 1, 6, 112},
                                       {4, 5, 2, 6, 192},
                                       {1, 3, 1, 6, 320}}};
constexpr std::int64_t stem_channels = 32;

std::vector<InvertedBottleneck> all_blocks() {
  std::vector<InvertedBottleneck> blocks;
  std::int64_t in = stem_channels;
  for (const Stage& stage : stages) {
    for (int b = 0; b < stage.blocks; ++b) {
      blocks.push_back({fmt::format("_blocks.{}.", blocks.size()), in, in * stage.expansion, stage.out,
                        stage.kernel, b == 0 ? stage.stride : 1});
      in = stage.out;
    }
  }
  return blocks;
}

// TensorFlow's "same": ⌈size / stride⌉ outputs, the odd pixel of padding below and to the right.
Tensor convolve_same(const Parameters& p, const std::string& name, const Tensor& x, std::int64_t stride,
                     std::int64_t groups) {
  const Tensor& weight = p[name + ".weight"];
  const auto padding = [&](std::int64_t size, std::int64_t kernel) {
    const std::int64_t outputs = (size + stride - 1) / stride;
    return std::max<std::int64_t>((outputs - 1) * stride + kernel - size, 0);
  };
  const std::int64_t high = padding(x.size(2), weight.size(2));
  const std::int64_t wide = padding(x.size(3), weight.size(3));
  if (high % 2 == 0 && wide % 2 == 0)
    return at::conv2d(x, weight, {}, stride, {high / 2, wide / 2}, 1, groups);
  const Tensor padded = at::constant_pad_nd(x, {wide / 2, wide - wide / 2, high / 2, high - high / 2});
  return at::conv2d(padded, weight, {}, stride, at::IntArrayRef{0, 0}, 1, groups);
}

// Widening, depthwise convolution, narrowing; added to the input where shapes agree.
Tensor inverted_bottleneck(const Parameters& p, const InvertedBottleneck& block, const Tensor& x,
                           const BatchNorm& norm) {
  const std::string& at = block.name;
  Tensor y = x;
  if (block.widened())
    y = at::relu6(batch_norm(p, at + "_bn0", convolve_same(p, at + "_expand_conv", y, 1, 1), norm));
  y = at::relu6(batch_norm(p, at + "_bn1",
                           convolve_same(p, at + "_depthwise_conv", y, block.stride, block.inner), norm));
  y = batch_norm(p, at + "_bn2", convolve_same(p, at + "_project_conv", y, 1, 1), norm);
  return block.added_to_input() ? x + y : y;
}

}  // namespace

const std::vector<InvertedBottleneck>& efficientnet_lite0_blocks() {
  static const std::vector<InvertedBottleneck> blocks = all_blocks();
  return blocks;
}

Specs efficientnet_lite0_specs() {
  Specs specs;
  add_convolution(specs, "_conv_stem", {stem_channels, 3, 3, 3});
  add_batch_norm(specs, "_bn0", stem_channels);
  for (const InvertedBottleneck& block : efficientnet_lite0_blocks()) {
    if (block.widened()) {
      add_convolution(specs, block.name + "_expand_conv", {block.inner, block.in, 1, 1});
      add_batch_norm(specs, block.name + "_bn0", block.inner);
    }
    add_convolution(specs, block.name + "_depthwise_conv", {block.inner, 1, block.kernel, block.kernel});
    add_batch_norm(specs, block.name + "_bn1", block.inner);
    add_convolution(specs, block.name + "_project_conv", {block.out, block.inner, 1, 1});
    add_batch_norm(specs, block.name + "_bn2", block.out);
  }
  add_convolution(specs, "_conv_head", {efficientnet_lite0_width, stages.back().out, 1, 1});
  add_batch_norm(specs, "_bn1", efficientnet_lite0_width);
  return specs;
}

Tensor efficientnet_lite0(const Parameters& p, const Tensor& x_NCHW, bool training) {
  const BatchNorm norm{.training = training, .momentum = 0.01, .epsilon = efficientnet_lite0_epsilon};
  Tensor x = at::relu6(batch_norm(p, "_bn0", convolve_same(p, "_conv_stem", x_NCHW, 2, 1), norm));
  for (const InvertedBottleneck& block : efficientnet_lite0_blocks())
    x = inverted_bottleneck(p, block, x, norm);
  x = at::relu6(batch_norm(p, "_bn1", convolve_same(p, "_conv_head", x, 1, 1), norm));
  return x.mean({2, 3});
}

}  // namespace mmo::deep
