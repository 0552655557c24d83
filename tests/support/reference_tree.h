// What a tree should do, written plainly and slowly: every threshold of every column, counts from scratch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

using RowSet = std::vector<std::uint32_t>;

// Σ_j c_j² / n
inline double side_score(const LabelMatrix& labels, const std::vector<float>& weights, const RowSet& rows) {
  std::vector<double> counts(labels.cols, 0);
  double total = 0;
  for (const std::uint32_t i : rows) {
    const double w = weights.empty() ? 1 : weights[i];
    total += w;
    for (const std::uint32_t j : labels.row(i)) counts[j] += w;
  }
  double sum = 0;
  for (const double c : counts) sum += c * c;
  return total > 0 ? sum / total : 0;
}

// The highest Σ_j c_j² / n of both sides over all columns and thresholds, missing values on either side;
// −1: no column splits the rows.
inline double best_split_score(const DenseMatrix& x, const LabelMatrix& labels,
                               const std::vector<float>& weights, const RowSet& rows) {
  double best = -1;
  for (std::size_t k = 0; k < x.cols; ++k) {
    for (const std::uint32_t threshold_row : rows) {
      const float threshold = x(threshold_row, k);
      if (std::isnan(threshold)) continue;
      for (const bool missing_left : {false, true}) {
        RowSet left, right;
        for (const std::uint32_t i : rows) {
          const bool goes_left = std::isnan(x(i, k)) ? missing_left : x(i, k) <= threshold;
          (goes_left ? left : right).push_back(i);
        }
        if (left.empty() || right.empty()) continue;
        best = std::max(best, side_score(labels, weights, left) + side_score(labels, weights, right));
      }
    }
  }
  return best;
}

}  // namespace mmo
