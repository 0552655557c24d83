// Features, and labels that hang on them: label j is present where feature j is large, but for one cell in
// ten.
#pragma once

#include <cstdint>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/core/random.h"

namespace mmo::deep {

struct NoisyRows {
  DenseMatrix x;
  LabelMatrix y;

  NoisyRows(std::size_t rows, std::size_t width, std::size_t labels, std::uint64_t seed) : x(rows, width) {
    Random random(seed);
    y.cols = labels;
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<std::uint32_t> present;
      for (float& value : x.row(i)) value = static_cast<float>(random.normal());
      for (std::uint32_t j = 0; j < labels; ++j) {
        if ((x(i, j) > 0.5F) != (random.uniform() < 0.1)) present.push_back(j);
      }
      y.push_row(present);
    }
  }
};

}  // namespace mmo::deep
