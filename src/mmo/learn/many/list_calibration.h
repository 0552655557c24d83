// Short lists' scores as logits on one scale. Where labels are many, a score means more or less by how often
// its label occurs: z = (a + c·f_j)·s + b + d·f_j, f_j = log(1 + positives of label j), four numbers for all.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "mmo/core/short_lists.h"
#include "mmo/eval/evaluate.h"

namespace mmo {

struct ListCalibration {
  std::array<double, 4> theta{1, 0, 0, 0};  // a, b, c, d
  double log_loss = 0;                      // mean over the known listed cells

  [[nodiscard]] float scale(float frequency) const {
    return static_cast<float>(theta[0] + theta[2] * static_cast<double>(frequency));
  }
  [[nodiscard]] float shift(float frequency) const {
    return static_cast<float>(theta[1] + theta[3] * static_cast<double>(frequency));
  }
};

// f_j of labels with so many positives.
[[nodiscard]] std::vector<float> log_frequencies(std::span<const std::size_t> positives);

// By least log-loss of the listed cells. Where a label's scale would not be positive, c is 0.
[[nodiscard]] ListCalibration fit_list_calibration(const ShortLists& lists, const Truth& truth,
                                                   std::span<const float> frequencies);
// Rows are in order again.
void apply_calibration(const ListCalibration& calibration, std::span<const float> frequencies,
                       ShortLists& lists);

}  // namespace mmo
