// Torch tensors in the core's safetensors files.
#pragma once

#include <vector>

#include "deep/torch.h"
#include "mmo/model/safetensors.h"

namespace mmo::deep {

// A view for write_safetensors; `kept` holds the bytes until the file is written.
[[nodiscard]] mmo::Tensor view_tensor(const Tensor& tensor, std::vector<Tensor>& kept);

}  // namespace mmo::deep
