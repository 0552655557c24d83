// softmax(q·kᵀ / √d)·v for each head; padding gets no attention.
#pragma once

#include "deep/torch.h"

namespace mmo::deep {

// q, k and v: rows × heads × tokens × width of a head; `mask_NT` is true for tokens (every row has one) and
// false for padding. `dropout` is the share of the weights set to 0 (the others grow by 1 / (1 − dropout));
// torch's random generator decides which.
[[nodiscard]] Tensor attention(const Tensor& q_NHTd, const Tensor& k_NHTd, const Tensor& v_NHTd,
                               const Tensor& mask_NT, double dropout);

}  // namespace mmo::deep
