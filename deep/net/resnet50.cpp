#include <fmt/core.h>

#include <array>
#include <regex>

#include "deep/net/convnets.h"

namespace mmo::deep {
namespace {

struct Stage {
  int blocks;
  std::int64_t width;  // of the 3 × 3 convolution; the output has four times as many channels
};
constexpr std::array<Stage, 4> stages{{{3, 64}, {4, 128}, {6, 256}, {3, 512}}};
constexpr std::int64_t expansion = 4;
constexpr std::int64_t stem_channels = 64;

std::string block_name(std::size_t stage, int block) { return fmt::format("layer{}.{}.", stage + 1, block); }

std::vector<Bottleneck> all_blocks() {
  std::vector<Bottleneck> blocks;
  std::int64_t in = stem_channels;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    for (int b = 0; b < stages[s].blocks; ++b) {
      // The first block of every stage except the first halves the picture.
      blocks.push_back({block_name(s, b), in, stages[s].width, s > 0 && b == 0 ? 2 : 1, b == 0});
      in = stages[s].width * expansion;
    }
  }
  return blocks;
}

Tensor convolve(const Parameters& p, const std::string& name, const Tensor& x, std::int64_t stride) {
  const Tensor& weight = p[name + ".weight"];
  return at::conv2d(x, weight, {}, stride, (weight.size(2) - 1) / 2);
}

// 1 × 1, 3 × 3 and 1 × 1 convolutions, added to the input (projected where shapes differ).
Tensor bottleneck(const Parameters& p, const Bottleneck& block, const Tensor& x, const BatchNorm& norm) {
  const std::string& at = block.name;
  Tensor y = at::relu(batch_norm(p, at + "bn1", convolve(p, at + "conv1", x, 1), norm));
  y = at::relu(batch_norm(p, at + "bn2", convolve(p, at + "conv2", y, block.stride), norm));
  y = batch_norm(p, at + "bn3", convolve(p, at + "conv3", y, 1), norm);
  const Tensor shortcut =
      block.projected
          ? batch_norm(p, at + "downsample.1", convolve(p, at + "downsample.0", x, block.stride), norm)
          : x;
  return at::relu(y + shortcut);
}

}  // namespace

const std::vector<Bottleneck>& resnet50_blocks() {
  static const std::vector<Bottleneck> blocks = all_blocks();
  return blocks;
}

Specs resnet50_specs() {
  Specs specs;
  add_convolution(specs, "conv1", {stem_channels, 3, 7, 7});
  add_batch_norm(specs, "bn1", stem_channels);
  for (const Bottleneck& block : resnet50_blocks()) {
    const std::string& at = block.name;
    const std::int64_t out = block.width * expansion;
    add_convolution(specs, at + "conv1", {block.width, block.in, 1, 1});
    add_batch_norm(specs, at + "bn1", block.width);
    add_convolution(specs, at + "conv2", {block.width, block.width, 3, 3});
    add_batch_norm(specs, at + "bn2", block.width);
    add_convolution(specs, at + "conv3", {out, block.width, 1, 1});
    add_batch_norm(specs, at + "bn3", out);
    if (block.projected) {
      add_convolution(specs, at + "downsample.0", {out, block.in, 1, 1});
      add_batch_norm(specs, at + "downsample.1", out);
    }
  }
  return specs;
}

Tensor resnet50(const Parameters& p, const Tensor& x_NCHW, bool training) {
  const BatchNorm norm{.training = training, .epsilon = resnet50_epsilon};
  Tensor x = at::relu(batch_norm(p, "bn1", convolve(p, "conv1", x_NCHW, 2), norm));
  x = at::max_pool2d(x, 3, 2, 1);
  for (const Bottleneck& block : resnet50_blocks()) x = bottleneck(p, block, x, norm);
  return x.mean({2, 3});
}

std::string resnet50_name(const std::string& name) {
  static const std::regex stem("(resnet\\.)?embedder\\.embedder\\.(convolution|normalization)\\.(.*)");
  static const std::regex layer(
      "(resnet\\.)?encoder\\.stages\\.(\\d)\\.layers\\.(\\d)\\.(layer\\.(\\d)|shortcut)\\.(convolution|"
      "normalization)\\.(.*)");
  std::smatch part;
  if (std::regex_match(name, part, stem))
    return fmt::format("{}.{}", part[2] == "convolution" ? "conv1" : "bn1", part[3].str());
  if (!std::regex_match(name, part, layer)) return name;
  const bool convolution = part[6] == "convolution";
  const std::string at = block_name(std::stoul(part[2]), std::stoi(part[3]));
  if (part[4] == "shortcut") return fmt::format("{}downsample.{}.{}", at, convolution ? 0 : 1, part[7].str());
  return fmt::format("{}{}{}.{}", at, convolution ? "conv" : "bn", std::stoi(part[5]) + 1, part[7].str());
}

}  // namespace mmo::deep
