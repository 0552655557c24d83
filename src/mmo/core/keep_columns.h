// Drops columns from row-major blocks.
#pragma once

#include <cstddef>
#include <span>

namespace mmo {

// Keeps only the columns `keep` (ascending) of a rows × stride block, followed by zeros up to
// new_stride ≤ stride.
template <class Block>
void keep_columns(Block& block, std::size_t rows, std::size_t stride, std::span<const std::size_t> keep,
                  std::size_t new_stride) {
  for (std::size_t i = 0; i < rows; ++i) {
    auto* to = block.data() + i * new_stride;
    const auto* from = block.data() + i * stride;
    for (std::size_t c = 0; c < keep.size(); ++c) to[c] = from[keep[c]];
    for (std::size_t c = keep.size(); c < new_stride; ++c) to[c] = 0;
  }
  block.resize(rows * new_stride);
}

}  // namespace mmo
