// A change of variables for dense columns. Every column's Hessian is about ρ·I + c·XcᵀXc (ρ: L2, c: the mean
// curvature of its loss, Xc: centred features). With L·Lᵀ = I + (c/ρ)·XcᵀXc and u = Lᵀ·w it becomes about
// ρ·I, so a solver working in u takes a handful of iterations, however correlated the features are.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

struct FeatureMoments {
  std::vector<float> means;
  DenseMatrix scatter;  // XcᵀXc, rows weighted
};
// Nothing if squares of the features are too large for floats.
[[nodiscard]] std::optional<FeatureMoments> feature_moments(const DenseMatrix& x,
                                                            std::span<const float> row_weights);

class Whitening {
 public:
  Whitening(const FeatureMoments& moments, double curvature, double ridge);

  [[nodiscard]] double curvature() const { return curvature_; }
  [[nodiscard]] double ridge() const { return ridge_; }
  // Gradients by w and b, (d + 1) × stride with b last, become gradients by u and by the bias of centred
  // features.
  void to_gradient(float* g, std::size_t stride) const;
  // Directions of u and of that bias become directions of w and b.
  void to_direction(float* p, std::size_t stride) const;

 private:
  double curvature_, ridge_;
  std::vector<float> means_;
  DenseMatrix lower_;  // L with its inverse diagonal
};

}  // namespace mmo
