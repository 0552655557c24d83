// Published weights: a folder in Hugging Face's layout (config.json, model.safetensors, vocab.txt), or one
// .safetensors file with torchvision's names.
#pragma once

#include <string>

#include "deep/net/network.h"

namespace mmo {
struct TensorFile;
}

namespace mmo::deep {

struct Pretrained {
  Encoder encoder;
  Parameters parameters;
  std::string vocabulary;  // text encoders: the content of vocab.txt

  // In separate memory: training changes tensors in place, and several runs start from these.
  [[nodiscard]] Parameters copy_parameters() const;
};

// `kind` names the network if the weights come without config.json: resnet50 or efficientnet-lite0. Throws
// ModelError naming the tensor and both shapes if the file does not fit.
[[nodiscard]] Pretrained load_pretrained(const std::string& path, const std::string& kind = "");

// The tensors of the specs from the file; prefixes ("bert.", "distilbert.", "resnet.", "module.") are
// skipped.
[[nodiscard]] Parameters load_parameters(const TensorFile& file, const Specs& specs);

// As a torch tensor with its own memory. Throws ModelError unless it holds 32-bit floats of this shape.
[[nodiscard]] Tensor copy_tensor(const TensorFile& file, const std::string& name,
                                 const std::vector<std::int64_t>& shape);

}  // namespace mmo::deep
