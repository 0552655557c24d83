// Binary cross-entropy of logits z: Σ_j softplus(z_j) − y_j·z_j. It is surrogate_independent with τ = 0 and
// all costs 1 at h = z/2. Gradient σ(z) − y, Hessian σ(z)·σ(−z).
#pragma once

#include <cstdint>
#include <span>

namespace mmo {

double bce(std::span<const double> logits, std::span<const std::uint8_t> present,
           std::span<double> gradient = {}, std::span<double> curvature = {});

}  // namespace mmo
