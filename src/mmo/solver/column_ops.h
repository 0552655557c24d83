// Vector operations on blocks of columns: row-major blocks of `rows` × `stride` floats (stride a multiple of
// 8), one scalar per column. On wide data a solver spends its time moving these blocks through memory, so
// each operation does everything its step needs in one walk. Sums use floats over short runs of rows and
// doubles beyond. The last row is the bias, which has no ridge: w·w, w·p and p·p leave it out.
#pragma once

#include <cstddef>
#include <span>

#include "mmo/core/half.h"

namespace mmo {

// d(k, c) = 1 / (d(k, c) + ridge[c]), kept finite; no ridge for the bias.
void invert_diagonal(const float* ridge, std::size_t rows, std::size_t stride, float* d);

// s = step·p, w += step·move.
void move_columns(const float* step, const float* p, const float* move, std::size_t rows, std::size_t stride,
                  float* w, Half* s);
// wᵀp and pᵀp.
void direction_sums(const float* w, const float* p, std::size_t rows, std::size_t stride, double* w_p,
                    double* p_p);

// z += step·dz.
void advance_scores(const float* step, const float* dz, std::size_t rows, std::size_t stride, float* z);
// Σ_i curvature·dz²: the second derivative of the loss along a direction.
void line_curvature(const float* curvature, const float* dz, std::size_t rows, std::size_t stride,
                    double* out);

// g += ridge·w (the loss's gradient becomes the objective's); ww = w·w.
void add_ridge(const float* ridge, const float* w, std::size_t rows, std::size_t stride, float* g,
               double* ww);
// y = g − before; sy = s·y.
void gradient_change(const float* g, const float* before, const Half* s, std::size_t rows, std::size_t stride,
                     Half* y, double* sy);

// One remembered step of all columns: s = change of the variables, y = change of the gradient. The pairs only
// shape the directions, and everything computed from them uses the rounded values: half the memory costs
// neither accuracy nor iterations.
struct StepPair {
  const Half *s, *y;
};

// What the inverse-Hessian recursion needs from one pair, for every column.
struct PairProducts {
  double *s_g, *y_hg;  // sᵀg, yᵀHg
  double *s_z, *y_hz;  // sᵀz, yᵀHz for the latest y = z
};

// H = diagonal `h`; `out` has one entry per pair.
void pair_products(std::span<const StepPair> pairs, const float* g, const float* h, const Half* z,
                   std::size_t rows, std::size_t stride, std::span<const PairProducts> out);

// p = −(H·(g + Σ_i a_i·y_i) + Σ_i b_i·s_i), with a and b of pair i at i·stride; then gᵀp, wᵀp and pᵀp.
struct DirectionSums {
  double *g_p, *w_p, *p_p;
};
void combine_direction(std::span<const StepPair> pairs, const float* a, const float* b, const float* g,
                       const float* h, const float* w, std::size_t rows, std::size_t stride, float* p,
                       const DirectionSums& sums);

}  // namespace mmo
