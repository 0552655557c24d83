// Chooses a kernel's width and ridge: the lowest log-loss of held-out scores, after a calibration pooled over
// all labels.
#pragma once

#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/learn/kernel/ridge_data.h"
#include "mmo/learn/scorer.h"

namespace mmo {

struct KernelPoint {
  Kernel kernel;
  double width = 1;  // as a multiple of the median distance between rows
  double ridge = 0.1;
  double log_loss = 0;
};

// Every point visited, best first. `x`: the mapped features of the data's rows.
[[nodiscard]] std::vector<KernelPoint> choose_kernel(const DenseMatrix& x, const RidgeData& data,
                                                     Kernel::Kind kind);

}  // namespace mmo
