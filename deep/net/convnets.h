// Image encoders: ResNet-50 and EfficientNet-Lite0. Both take x_NCHW, normalised as in their training, and
// return features_ND, the mean over all positions of the last layer.
#pragma once

#include "deep/net/parameters.h"

namespace mmo::deep {

// He et al. 2016, the variant with the stride in the 3 × 3 convolution (torchvision's). Names are
// torchvision's.
inline constexpr std::int64_t resnet50_width = 2048;
inline constexpr double resnet50_epsilon = 1e-5;  // of its batch normalisation
struct Bottleneck {
  std::string name;  // with its dot
  std::int64_t in, width, stride;
  bool projected;  // the shortcut has its own convolution
};
[[nodiscard]] const std::vector<Bottleneck>& resnet50_blocks();
[[nodiscard]] Specs resnet50_specs();
Tensor resnet50(const Parameters& p, const Tensor& x_NCHW, bool training);
// Translates a tensor name from Hugging Face's ResNet to torchvision's; other names stay as they are.
[[nodiscard]] std::string resnet50_name(const std::string& hugging_face_name);

// Tan & Le 2019 without squeeze-and-excitation and with ReLU6. Names are those of the PyTorch port of the
// published TensorFlow weights; padding is TensorFlow's "same".
inline constexpr std::int64_t efficientnet_lite0_width = 1280;
inline constexpr double efficientnet_lite0_epsilon = 1e-3;
struct InvertedBottleneck {
  std::string name;  // with its dot
  std::int64_t in, inner, out, kernel, stride;
  [[nodiscard]] bool widened() const { return inner != in; }
  [[nodiscard]] bool added_to_input() const { return stride == 1 && in == out; }
};
[[nodiscard]] const std::vector<InvertedBottleneck>& efficientnet_lite0_blocks();
[[nodiscard]] Specs efficientnet_lite0_specs();
Tensor efficientnet_lite0(const Parameters& p, const Tensor& x_NCHW, bool training);

}  // namespace mmo::deep
