#include "mmo/learn/trees/slopes.h"

#include <algorithm>
#include <cmath>

#include "mmo/core/simd.h"
#include "mmo/loss/softplus.h"

namespace mmo::trees {
namespace {

// As if no label were present, ignoring costs and weights.
MMO_SIMD void absent(const float* z, std::size_t labels, float* descent, float* curvature) {
  for (std::size_t j = 0; j < labels; ++j) {
    float tail = 0;
    float above = 0;
    float below = 0;
    logistic_parts(z[j], tail, above, below);
    descent[j] = -above;
    curvature[j] = above * below;
  }
}

float row_weight(const Truth& truth, std::size_t i) {
  return truth.row_weights.empty() ? 1.0F : truth.row_weights[i];
}

std::span<const std::uint32_t> unknown_cells(const Truth& truth, std::size_t i) {
  if (truth.unknown == nullptr || truth.unknown->rows == 0) return {};
  return truth.unknown->row(i);
}

}  // namespace

void descend(const Truth& truth, const LogisticCosts& costs, std::size_t i, const float* z, float* descent,
             float* curvature) {
  const std::size_t labels = truth.labels->cols;
  absent(z, labels, descent, curvature);
  const float w = row_weight(truth, i);
  for (const std::uint32_t j : truth.labels->row(i)) {
    const float cost = w * costs.missing(j);
    // 1 − p computed from p would lose all its digits near 1.
    descent[j] = cost * sigmoid(-z[j]);
    curvature[j] *= cost;
  }
  const auto scale_absent = [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) {
      const float cost = w * costs.adding(j);
      descent[j] *= cost;
      curvature[j] *= cost;
    }
  };
  if (w != 1.0F || !costs.added.empty()) {
    std::size_t first = 0;
    for (const std::uint32_t j : truth.labels->row(i)) {
      scale_absent(first, j);
      first = j + 1;
    }
    scale_absent(first, labels);
  }
  for (std::size_t j = 0; j < truth.label_weights.size(); ++j) {
    descent[j] *= truth.label_weights[j];
    curvature[j] *= truth.label_weights[j];
  }
  for (const std::uint32_t j : unknown_cells(truth, i)) descent[j] = curvature[j] = 0;
}

double logistic_loss(const Truth& truth, const LogisticCosts& costs, std::size_t i, const float* z) {
  const auto present = truth.labels->row(i);
  const auto unknown = unknown_cells(truth, i);
  double sum = 0;
  for (std::uint32_t j = 0; j < truth.labels->cols; ++j) {
    if (std::binary_search(unknown.begin(), unknown.end(), j)) continue;
    const bool y = std::binary_search(present.begin(), present.end(), j);
    const double weight = truth.label_weights.empty() ? 1.0 : truth.label_weights[j];
    sum += weight * (y ? costs.missing(j) * softplus(-z[j]) : costs.adding(j) * softplus(z[j]));
  }
  return sum * row_weight(truth, i);
}

}  // namespace mmo::trees
