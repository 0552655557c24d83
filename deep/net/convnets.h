// Image encoders: ResNet-50 and EfficientNet-Lite0. Both take x_NCHW, normalised as they were trained, and
// return features_ND, the mean over all positions of the last layer.
#pragma once

#include "deep/net/parameters.h"

namespace mmo::deep {

// He et al. 2016, the variant with the stride in the 3 × 3 convolution (torchvision's). Names are
// torchvision's.
inline constexpr std::int64_t resnet50_width = 2048;
[[nodiscard]] Specs resnet50_specs();
Tensor resnet50(const Parameters& p, const Tensor& x_NCHW, bool training);
// What Hugging Face's ResNet calls a tensor, in torchvision's words; other names as they are.
[[nodiscard]] std::string resnet50_name(const std::string& hugging_face_name);

// Tan & Le 2019 without squeeze-and-excitation and with ReLU6. Names are those of the PyTorch port of the
// published TensorFlow weights; padding is TensorFlow's "same".
inline constexpr std::int64_t efficientnet_lite0_width = 1280;
[[nodiscard]] Specs efficientnet_lite0_specs();
Tensor efficientnet_lite0(const Parameters& p, const Tensor& x_NCHW, bool training);

}  // namespace mmo::deep
