#include "deep/weights/tensor_file.h"

namespace mmo::deep {

mmo::Tensor view_tensor(const Tensor& tensor, std::vector<Tensor>& kept) {
  kept.push_back(tensor.detach().contiguous());
  const Tensor& dense = kept.back();
  const std::span<const float> values(dense.data_ptr<float>(), static_cast<std::size_t>(dense.numel()));
  return tensor_view(values, {dense.sizes().begin(), dense.sizes().end()});
}

}  // namespace mmo::deep
