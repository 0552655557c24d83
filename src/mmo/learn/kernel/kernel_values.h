// Kernels between rows and landmarks: exp(−decay·|x − c|²) (Gaussian) and exp(−decay·|x − c|) (exponential).
#pragma once

#include <cstddef>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/learn/scorer.h"

namespace mmo {

// Rows that others get compared with.
struct Landmarks {
  DenseMatrix columns;              // d × m: a landmark is a column
  std::vector<float> square_norms;  // m

  explicit Landmarks(DenseMatrix by_column);
};

// out(i, c) = k(x_i, landmark c) for rows first … last − 1 of x; (last − first) × m.
void kernel_values(const DenseMatrix& x, std::size_t first, std::size_t last, const Landmarks& landmarks,
                   const Kernel& kernel, float* out);
// Of all rows, in parallel.
[[nodiscard]] DenseMatrix kernel_values(const DenseMatrix& x, const Landmarks& landmarks,
                                        const Kernel& kernel);

}  // namespace mmo
