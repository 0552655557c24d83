// The paper's surrogate family (eq:sur) for one row, in O(l) (app:factorization).
//   scores h_j in the paper's scale: label j is predicted where h_j ≥ 0, its probability is σ(2h_j);
//   cells c_j(y′) from cell_cost.h; τ ≥ 0: logistic at 0, generalised cross-entropy in (0, 1), mean absolute
//   error at 1.
// All return the value and, where the spans are not empty, write the gradient and the diagonal of the
// Hessian.
#pragma once

#include <cstdint>
#include <span>

#include "mmo/loss/cell_cost.h"

namespace mmo {

// Each label by itself, the paper's case l = 1 per label:
//   Σ_j Σ_{y′} c_j(y′)·Φ_τ(1 + e^{−2y′h_j}),  Φ_0 = log u, Φ_τ = (1 − u^{−τ})/τ (erratum 2).
// The Hessian is diagonal, so `curvature` is all of it.
double surrogate_independent(std::span<const double> scores, std::span<const CellCost> cells, double tau,
                             std::span<double> gradient = {}, std::span<double> curvature = {});

// The paper's sum over all 2^l label sets, τ = 0, divided by 2^{l−1}:
//   Σ_j Σ_{y′} w_j(y′)·softplus(−2y′h_j),  w_j(y′) = c_j(y′) + (κ/2)·(A − A_j), A = Σ_j A_j.
// κ = 1 is the paper's loss, κ = 0 the independent one, between them a mixture. The Hessian is diagonal.
double surrogate_joint(std::span<const double> scores, std::span<const CellCost> cells, double kappa = 1,
                       std::span<double> gradient = {}, std::span<double> curvature = {});

// The same sum for τ > 0, also divided by 2^{l−1}: (A − T)/τ with
//   T = 2^{1−l}·Σ_{y′} C(y′)·p(y′)^τ = e^{log P − (l−1)·log 2}·Σ_k N_k/S_k,
//   W_k(y′) = σ(2y′h_k)^τ, S_k = Σ_{y′} W_k, N_k = Σ_{y′} c_k·W_k, P = Π S_k.
// T falls like 2^{−τl}, so beyond a few dozen labels the constant A drowns the gradient: asking for the
// gradient of more than 64 labels throws UsageError.
double surrogate_joint_tau(std::span<const double> scores, std::span<const CellCost> cells, double tau,
                           std::span<double> gradient = {});

}  // namespace mmo
