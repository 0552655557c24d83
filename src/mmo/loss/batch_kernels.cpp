#include "mmo/loss/batch_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mmo/core/simd.h"
#include "mmo/loss/softplus.h"

namespace mmo {
namespace {

constexpr std::size_t chunk = 512;  // values of one chunk stay in the first-level cache until they are summed

// Σ of floats in double, eight running sums so that it vectorises.
MMO_INLINE double sum_of(const float* values, std::size_t count) {
  std::array<double, 8> sums{};
  std::size_t j = 0;
  for (; j + 8 <= count; j += 8) {
    for (std::size_t k = 0; k < 8; ++k) sums[k] += static_cast<double>(values[j + k]);
  }
  for (; j < count; ++j) sums[0] += static_cast<double>(values[j]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// Σ_j value(j), chunk by chunk: the loop over `value` vectorises, the sum is double.
template <class Value>
MMO_INLINE double sum_over(std::size_t labels, const Value& value) {
  std::array<float, chunk> values;
  double total = 0;
  for (std::size_t begin = 0; begin < labels; begin += chunk) {
    const std::size_t count = std::min(chunk, labels - begin);
    for (std::size_t k = 0; k < count; ++k) values[k] = value(begin + k);
    total += sum_of(values.data(), count);
  }
  return total;
}

// Φ_τ at both signs of x, and the derivatives by x.
struct Sides {
  float up, down;  // what a pull towards +1 costs, towards −1
  float up_slope, down_slope;
};

// τ = 0: softplus(∓x).
struct Logistic {
  MMO_INLINE Sides operator()(float x) const {
    float tail = 0;
    float above = 0;
    float below = 0;
    logistic_parts(x, tail, above, below);
    const float positive = 0.5F * (x + std::fabs(x));
    return {positive - x + tail, positive + tail, -below, above};
  }
};

// τ = ½: 2·(1 − √s) = 2·(1 − s)/(1 + √s), s = σ(±x), without cancellation. r = e^{−|x|/2} gives both roots
// from one: √σ(−|x|) = r·√σ(|x|).
struct Root {
  MMO_INLINE Sides operator()(float x) const {
    const float half = 0.5F * std::fabs(x);
    const float r = simd::exp_in_range(simd::select(half > 87.4F, -87.4F, -half));
    const float larger = 1.0F / (1.0F + r * r);
    const float smaller = r * r * larger;
    const float larger_root = std::sqrt(larger);
    const float smaller_root = r * larger_root;
    const float above = simd::select(x < 0.0F, smaller, larger);
    const float below = simd::select(x < 0.0F, larger, smaller);
    const float above_root = simd::select(x < 0.0F, smaller_root, larger_root);
    const float below_root = simd::select(x < 0.0F, larger_root, smaller_root);
    return {2.0F * below / (1.0F + above_root), 2.0F * above / (1.0F + below_root), -above_root * below,
            below_root * above};
  }
};

// τ = 1: 1 − s.
struct Absolute {
  MMO_INLINE Sides operator()(float x) const {
    const float magnitude = std::fabs(x);
    const float e = simd::exp_in_range(simd::select(magnitude > 87.4F, -87.4F, -magnitude));
    const float larger = 1.0F / (1.0F + e);
    const float smaller = e * larger;
    const float slope = larger * smaller;
    return {simd::select(x < 0.0F, larger, smaller), simd::select(x < 0.0F, smaller, larger), -slope, slope};
  }
};

template <class Phi>
MMO_INLINE double target_row(const SoftCosts& costs, const TargetRow& row, float scale,
                             float* __restrict gradient, const Phi& phi) {
  const float* __restrict scores = row.scores;
  const float* __restrict targets = row.targets;
  const float* __restrict present_plus = costs.present_plus;
  const float* __restrict present_minus = costs.present_minus;
  const float* __restrict absent_plus = costs.absent_plus;
  const float* __restrict absent_minus = costs.absent_minus;
  const float per_score = row.per_score;
  return sum_over(row.labels, [=](std::size_t j) MMO_INLINE_LAMBDA {
    const bool known = targets[j] == targets[j];  // false for NaN
    const float y = simd::select(known, targets[j], 0.0F);
    const float not_y = simd::select(known, 1.0F - y, 0.0F);
    const float plus = y * present_plus[j] + not_y * absent_plus[j];
    const float minus = y * present_minus[j] + not_y * absent_minus[j];
    const Sides sides = phi(per_score * scores[j]);
    gradient[j] = scale * per_score * (plus * sides.up_slope + minus * sides.down_slope);
    return plus * sides.up + minus * sides.down;
  });
}

// kappa_all(j) is κ·A. A cell's two sides weigh w + κ(A − w) together.
template <class KappaAll>
MMO_INLINE double joint(const TightCells& cells, float kappa, const KappaAll& kappa_all, float scale,
                        float* __restrict gradient) {
  const float* __restrict scores = cells.scores;
  const float* __restrict pull = cells.pull;
  const float per_score = cells.per_score;
  const float own_share = 1.0F - kappa;
  const float factor = per_score * scale;
  return sum_over(cells.count, [=](std::size_t j) MMO_INLINE_LAMBDA {
    float value = 0;
    float slope = 0;
    two_sided_softplus(per_score * scores[j], kappa_all(j) + own_share * std::fabs(pull[j]), pull[j], value,
                       slope);
    gradient[j] = factor * slope;
    return value;
  });
}

}  // namespace

MMO_SIMD double logistic_row(const SoftCosts& costs, const TargetRow& row, float scale, float* gradient) {
  return target_row(costs, row, scale, gradient, Logistic{});
}

MMO_SIMD double root_row(const SoftCosts& costs, const TargetRow& row, float scale, float* gradient) {
  return target_row(costs, row, scale, gradient, Root{});
}

MMO_SIMD double absolute_row(const SoftCosts& costs, const TargetRow& row, float scale, float* gradient) {
  return target_row(costs, row, scale, gradient, Absolute{});
}

MMO_SIMD double independent_cells(const TightCells& cells, float scale, float* __restrict gradient) {
  const float* __restrict scores = cells.scores;
  const float* __restrict pull = cells.pull;
  const float per_score = cells.per_score;
  return sum_over(cells.count, [=](std::size_t j) MMO_INLINE_LAMBDA {
    float value = 0;
    float slope = 0;
    softplus_sigmoid(times_sign(-per_score * scores[j], pull[j]), value, slope);
    gradient[j] = -per_score * scale * pull[j] * slope;  // dm/dscore = −t·per_score, and t·w = pull
    return std::fabs(pull[j]) * value;
  });
}

MMO_SIMD double joint_row(const TightCells& cells, float kappa, float all, float scale, float* gradient) {
  const float kappa_all = kappa * all;
  return joint(cells, kappa, [=](std::size_t) MMO_INLINE_LAMBDA { return kappa_all; }, scale, gradient);
}

MMO_SIMD double joint_cells(const TightCells& cells, float kappa, const float* all, float scale,
                            float* gradient) {
  return joint(
      cells, kappa, [=](std::size_t j) MMO_INLINE_LAMBDA { return kappa * all[j]; }, scale, gradient);
}

MMO_SIMD void repeat_each(const double* values, std::size_t labels, std::size_t count, float* to) {
  for (std::size_t begin = 0; begin < count; begin += labels) {
    const Vec8 value = Vec8{} + static_cast<float>(*values++);
    for (std::size_t j = 0; j < labels; j += lanes) store8(to + begin + j, value);  // the next row overwrites
  }
}

double cross_term(float x, float half_kappa, float all) {
  float tail = 0;
  float above = 0;
  float below = 0;
  logistic_parts(x, tail, above, below);
  return static_cast<double>(half_kappa * all) * static_cast<double>(std::fabs(x) + 2.0F * tail);
}

MMO_SIMD double soft_row(const SoftRow& row, float half_kappa, float all, float scale,
                         float* __restrict gradient) {
  const float* __restrict scores = row.scores;
  const float* __restrict plus = row.plus;
  const float* __restrict minus = row.minus;
  const float* __restrict known = row.known;
  const float per_score = row.per_score;
  return sum_over(row.labels, [=](std::size_t j) MMO_INLINE_LAMBDA {
    const float x = per_score * scores[j];
    float tail = 0;
    float above = 0;
    float below = 0;
    logistic_parts(x, tail, above, below);
    const float magnitude = std::fabs(x);
    const float positive = 0.5F * (x + magnitude);  // max(x, 0); max(−x, 0) = positive − x
    const float cross = half_kappa * (known[j] * all - (plus[j] + minus[j]));
    gradient[j] = scale * per_score * (minus[j] * above - plus[j] * below + cross * (above - below));
    return plus[j] * (positive - x + tail) + minus[j] * (positive + tail) + cross * (magnitude + 2.0F * tail);
  });
}

MMO_SIMD std::size_t count_known(const float* targets, std::size_t labels) {
  std::uint32_t known =
      0;  // as wide as a float, so the loop needs no conversions; there are fewer than 2³² labels
  for (std::size_t j = 0; j < labels; ++j) known += targets[j] == targets[j] ? 1U : 0U;
  return known;
}

MMO_SIMD double mix_targets(const SoftCosts& costs, const float* __restrict targets, std::size_t labels,
                            float* __restrict plus, float* __restrict minus, float* __restrict known) {
  const float* __restrict present_plus = costs.present_plus;
  const float* __restrict present_minus = costs.present_minus;
  const float* __restrict absent_plus = costs.absent_plus;
  const float* __restrict absent_minus = costs.absent_minus;
  return sum_over(labels, [=](std::size_t j) MMO_INLINE_LAMBDA {
    const bool is_known = targets[j] == targets[j];  // false for NaN
    const float y = simd::select(is_known, targets[j], 0.0F);
    known[j] = simd::select(is_known, 1.0F, 0.0F);
    plus[j] = known[j] * (y * present_plus[j] + (1.0F - y) * absent_plus[j]);
    minus[j] = known[j] * (y * present_minus[j] + (1.0F - y) * absent_minus[j]);
    return plus[j] + minus[j];
  });
}

}  // namespace mmo
