// Slopes and curvatures of the weighted logistic loss by a row's scores.
#pragma once

#include <cstdint>
#include <span>

#include "mmo/eval/evaluate.h"

namespace mmo::trees {

// Per label, the cost of missing it and of adding it wrongly; empty = all 1.
struct LogisticCosts {
  std::span<const float> missed = {};  // NOLINT(readability-redundant-member-init)
  std::span<const float> added = {};   // NOLINT(readability-redundant-member-init)

  [[nodiscard]] float missing(std::size_t j) const { return missed.empty() ? 1.0F : missed[j]; }
  [[nodiscard]] float adding(std::size_t j) const { return added.empty() ? 1.0F : added[j]; }
};

// For row i with scores z, known cells only, row and label weights included:
//   L = Σ_j missed_j·y_j·log(1 + e^−z_j) + added_j·(1 − y_j)·log(1 + e^z_j)
// With p = σ(z): descent −∂L/∂z = missed·(1 − p) or −added·p, curvature ∂²L/∂z² = (missed or added)·p·(1 −
// p).
void descend(const Truth& truth, const LogisticCosts& costs, std::size_t i, const float* z, float* descent,
             float* curvature);
[[nodiscard]] double logistic_loss(const Truth& truth, const LogisticCosts& costs, std::size_t i,
                                   const float* z);

}  // namespace mmo::trees
