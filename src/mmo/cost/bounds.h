// What the theory promises, as numbers the program can show. Anything containing 2^l is a logarithm.
//   l labels, m examples, n = 2^l, a_j and b_j the costs of label j at one λ,
//   H = W·X: the largest |score| of a linear model with ‖w_j‖ ≤ W on inputs ‖x‖ ≤ X.
#pragma once

#include <cstddef>
#include <span>

#include "mmo/cost/cost.h"

namespace mmo {

// log L_sum, L_sum = Σ_{y,y′} L̄(y′, y) = 4^{l−1}·Σ_j (|a_j| + |b_j|) with the tight shift.
[[nodiscard]] double log_cost_sum(std::span<const LabelCost> costs);

// log Γ(t) of the consistency bound Thm:bound_comp (target regret ≤ Γ(surrogate regret)), t the regret of the
// paper's unnormalised loss: Γ(t) = 2√(L_sum·n^τ·t) for τ < 1, τ·n^τ·t for τ ≥ 1.
[[nodiscard]] double log_gamma(double log_regret, double tau, std::size_t labels, double log_cost_sum);

// Our bound for the normalised independent loss at τ = 0 (Pinsker per label: target regret ≤ √(2·s_j·t_j),
// then Cauchy–Schwarz over labels).
//   s_j ≤ max(|a_j|, |b_j|), so target regret ≤ √(2·Σ_j s_j·t)
[[nodiscard]] double regret_bound_independent(std::span<const LabelCost> costs, double regret);

// The setting of the generalisation bounds.
struct BoundSetting {
  std::size_t labels = 1;       // l
  std::size_t examples = 1;     // m
  double weight_norm = 1;       // W
  double input_norm = 1;        // X
  double largest_beta = 1;      // max_{j,k} |β_k^j|
  double highest_beta_sum = 1;  // β̄ = sup_h E[ℓ_β]
  double lambda_low = 0, lambda_high = 1;
  double delta = 0.05;  // the bound fails with at most this probability
  double minimisability_gap = 0;
};

// N_λ = m·(λ_max − λ_min), at least 1: points of the net over λ.
[[nodiscard]] double net_size(const BoundSetting& setting);

// B_Φ: the largest Φ_τ(u), u ≤ (1 + e^{2H})^l. l·softplus(2H) at τ = 0, (1 − e^{−τ·l·softplus(2H)})/τ above.
[[nodiscard]] double phi_bound(const BoundSetting& setting, double tau);
// log B_λ: the largest surrogate loss, ≤ 2^l·L_sum·B_Φ.
[[nodiscard]] double log_loss_bound(const BoundSetting& setting, double tau, double log_cost_sum);
// log R_m of the surrogate's loss class: √2·G·l·W·X/√m (vector contraction), Lipschitz constant
// G = 2√l·2^l·L_sum.
[[nodiscard]] double log_rademacher(const BoundSetting& setting, double log_cost_sum);

// log K_L: how fast the paper's loss can move with λ, L_sum included (lemma:approx-Rad with erratum 4):
// K_L = 2^l·4^{l−1}·Σ_j(|a_j′| + |b_j′|)·B_Φ ≤ 2^l·4^l·2l·max|β|·B_Φ, as |a′|, |b′| ≤ 4·max|β|.
[[nodiscard]] double log_slope_by_lambda(const BoundSetting& setting, double tau);

// log ε_m of thm:generalization-uniform for the paper's joint loss, with erratum 4 (the Rademacher term is
// over m): ε_m = Γ(gap + 4R_m + 2K_L/m + (2B_λ + K_L/m)·√(log(2N_λ/δ)/(2m))) + β̄/m.
[[nodiscard]] double log_epsilon_joint(const BoundSetting& setting, double tau,
                                       std::span<const LabelCost> costs);

// The same for our independent τ = 0 loss, where nothing grows with 2^l: Γ = regret_bound_independent,
// R_m ≤ Σ_j 2s_j·W·X/√m, B_λ = Σ_j s_j·softplus(2H), K_L = 4l·max|β|·softplus(2H).
[[nodiscard]] double epsilon_independent(const BoundSetting& setting, std::span<const LabelCost> costs);

// Algorithm 3 (bisection): its ε = ε_m/(2β̄), and metric ≥ metric* − 4ε_m/β_low (thm:algo2).
[[nodiscard]] double bisection_step(double epsilon_m, double highest_beta_sum);
[[nodiscard]] double bisection_gap(double epsilon_m, double lowest_beta_sum);
// Algorithm 4 (scan): metric ≥ metric* − 2ε_m/β_low (thm:algo3).
[[nodiscard]] double scan_gap(double epsilon_m, double lowest_beta_sum);

}  // namespace mmo
