// The inner loops of batch.h, compiled per instruction set. Every kernel returns the loss of its row or cells
// and writes `scale` × its gradient. x is the logit: per_score times the score, 2h or z.
#pragma once

#include <cstddef>

namespace mmo {

// A cell with the tight shift has only one side: pull = c(+1) or −c(−1), whose sign t says where the score
// should go and whose size w how much that matters. The margin is m = −t·x.
// The cells of one row or of several.
struct TightCells {
  const float* scores;
  const float* pull;
  std::size_t count;
  float per_score;  // x = per_score·score
};

// Σ_j w_j·softplus(m_j)
double independent_cells(const TightCells& cells, float scale, float* gradient);
// Σ_j w_j·softplus(m_j) + (κ/2)·(A − w_j)·(softplus(m_j) + softplus(−m_j)), treating every cell as known; A
// of one row, or of every cell.
double joint_row(const TightCells& cells, float kappa, float all, float scale, float* gradient);
double joint_cells(const TightCells& cells, float kappa, const float* all, float scale, float* gradient);
// Row k's value for each of its cells: to[k·labels … (k + 1)·labels − 1] = values[k]. Writes up to `lanes` −
// 1 floats past `count`.
void repeat_each(const double* values, std::size_t labels, std::size_t count, float* to);
// (κ/2)·A·(softplus(x) + softplus(−x)): what joint_row adds for an unknown cell, whose pull is 0.
double cross_term(float x, float half_kappa, float all);

// Both sides of every cell, for soft targets; `known` is 1 or 0.
struct SoftRow {
  const float* scores;
  const float* plus;
  const float* minus;
  const float* known;
  std::size_t labels;
  float per_score;
};

// Σ_j c_j(+1)·softplus(−x_j) + c_j(−1)·softplus(x_j) + s_j·(softplus(−x_j) + softplus(x_j)),
// s_j = (κ/2)·(A − A_j) in known cells
double soft_row(const SoftRow& row, float half_kappa, float all, float scale, float* gradient);

// Costs of both sides of every label, present and absent.
struct SoftCosts {
  const float* present_plus;
  const float* present_minus;
  const float* absent_plus;
  const float* absent_minus;
};

// Σ_j c_j(+1)·Φ_τ(1 + e^{−x_j}) + c_j(−1)·Φ_τ(1 + e^{x_j}) straight from targets y, NaN = unknown
// (surrogate.h has Φ_τ; c_j(±1) = y·c_present + (1 − y)·c_absent), for τ = 0, ½, 1.
struct TargetRow {
  const float* scores;
  const float* targets;
  std::size_t labels;
  float per_score;
};
double logistic_row(const SoftCosts& costs, const TargetRow& row, float scale, float* gradient);
double root_row(const SoftCosts& costs, const TargetRow& row, float scale, float* gradient);
double absolute_row(const SoftCosts& costs, const TargetRow& row, float scale, float* gradient);

// How many targets are not NaN.
std::size_t count_known(const float* targets, std::size_t labels);

// c(±1) = y·c_present + (1 − y)·c_absent for targets y, 0 where y is NaN; returns A = Σ_j A_j.
double mix_targets(const SoftCosts& costs, const float* targets, std::size_t labels, float* plus,
                   float* minus, float* known);

}  // namespace mmo
