// Tensors and their operators: everything this program uses of torch, except for one custom gradient
// (net/attention.cpp). Names of tensors end in their shape: N rows, T tokens, D width, L labels, C channels,
// H and W height and width.
#pragma once

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

namespace mmo::deep {

using at::Tensor;

}  // namespace mmo::deep
