#include "mmo/calibrate/logistic_fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>

#include "mmo/core/simd.h"
#include "mmo/loss/softplus.h"

namespace mmo {
namespace {

constexpr std::size_t enough_cells = 500'000;
constexpr std::size_t block = 512;  // cells whose sums are taken in float

// The sums over cells behind the loss and its derivatives, in this order.
enum Sum { mass, loss, gz, gq, g1, hzz, hzq, hqq, hz1, hq1, h11, sums };

struct Slopes {
  alignas(32) float loss[block], g[block], h[block];
};

// Weighted loss, first and second derivative in the cell's own score a·z + b·q + c.
MMO_SIMD void slopes_of(const float* z, const float* q, const float* sign, const float* weight, float a,
                        float b, float c, Slopes& out) {
  for (std::size_t e = 0; e < block; ++e) {
    float value = 0;
    float slope = 0;
    softplus_sigmoid(-sign[e] * (a * z[e] + b * q[e] + c), value, slope);
    out.loss[e] = weight[e] * value;
    out.g[e] = -weight[e] * sign[e] * slope;
    out.h[e] = weight[e] * slope * (1.0F - slope);
  }
}

MMO_SIMD void add_sums(const float* z_of, const float* q_of, const float* weight, const Slopes& slopes,
                       double* total) {
  Vec8 sum[sums] = {};
  for (std::size_t e = 0; e < block; e += lanes) {
    const Vec8 z = load8(z_of + e);
    const Vec8 q = load8(q_of + e);
    const Vec8 g = load8(slopes.g + e);
    const Vec8 h = load8(slopes.h + e);
    sum[mass] += load8(weight + e);
    sum[loss] += load8(slopes.loss + e);
    sum[gz] += g * z;
    sum[gq] += g * q;
    sum[g1] += g;
    sum[hzz] += h * z * z;
    sum[hzq] += h * z * q;
    sum[hqq] += h * q * q;
    sum[hz1] += h * z;
    sum[hq1] += h * q;
    sum[h11] += h;
  }
  for (std::size_t s = 0; s < sums; ++s) {
    for (std::size_t c = 0; c < lanes; ++c) total[s] += static_cast<double>(sum[s][c]);
  }
}

}  // namespace

ScoreCells::ScoreCells(const DenseMatrix& z, const DenseMatrix* q, const LabelMatrix& labels,
                       const LabelMatrix* unknown, std::span<const float> row_weights) {
  const std::size_t every = std::max<std::size_t>(1, z.rows * z.cols / enough_cells);
  count_ = (z.rows + every - 1) / every * z.cols;
  const std::size_t padded = round_up(count_, block);
  z_.assign(padded, 0.0F);
  q_.assign(padded, 0.0F);
  sign_.assign(padded, -1.0F);
  weight_.assign(padded, 0.0F);
  std::size_t first = 0;
  for (std::size_t i = 0; i < z.rows; i += every, first += z.cols) {
    std::copy_n(z.row(i).data(), z.cols, z_.data() + first);
    if (q != nullptr) std::copy_n(q->row(i).data(), z.cols, q_.data() + first);
    std::fill_n(weight_.data() + first, z.cols, row_weights.empty() ? 1.0F : row_weights[i]);
    for (const std::uint32_t j : labels.row(i)) sign_[first + j] = 1.0F;
    if (unknown != nullptr && unknown->rows > 0) {
      for (const std::uint32_t j : unknown->row(i)) weight_[first + j] = 0.0F;
    }
  }
}

ScoreCells::Expansion ScoreCells::expand(const Theta& theta) const {
  std::array<double, sums> s{};
  Slopes slopes;
  for (std::size_t at = 0; at < z_.size(); at += block) {
    const float* z = z_.data() + at;
    const float* q = q_.data() + at;
    const float* weight = weight_.data() + at;
    slopes_of(z, q, sign_.data() + at, weight, static_cast<float>(theta[0]), static_cast<float>(theta[1]),
              static_cast<float>(theta[2]), slopes);
    add_sums(z, q, weight, slopes, s.data());
  }
  const double by = 1.0 / std::max(s[mass], 1e-12);
  return {theta,
          by * s[loss],
          {by * s[gz], by * s[gq], by * s[g1]},
          {{{by * s[hzz], by * s[hzq], by * s[hz1]},
            {by * s[hzq], by * s[hqq], by * s[hq1]},
            {by * s[hz1], by * s[hq1], by * s[h11]}}}};
}

// Lightly damped; the step is halved until the loss falls.
ScoreCells::Expansion ScoreCells::minimise(const Theta& start) const {
  Expansion at = expand(start);
  for (int round = 0; round < 30; ++round) {
    const Eigen::Map<const Eigen::Vector3d> gradient(at.gradient.data());
    Eigen::Matrix3d hessian = Eigen::Map<const Eigen::Matrix3d>(at.hessian[0].data());
    hessian.diagonal().array() += 1e-9 * hessian.trace() + 1e-12;
    const Eigen::Vector3d move = -hessian.ldlt().solve(gradient);
    if (!(-move.dot(gradient) > 1e-8 * at.value)) break;
    Expansion next = at;
    for (double step = 1.0; step > 1e-3 && !(next.value < at.value); step *= 0.5) {
      Theta theta = at.theta;
      for (std::size_t k = 0; k < theta.size(); ++k) theta[k] += step * move[static_cast<Eigen::Index>(k)];
      next = expand(theta);
    }
    if (!(next.value < at.value)) break;
    at = next;
  }
  return at;
}

double ScoreCells::spread() const {
  double mean = 0;
  double square = 0;
  for (std::size_t e = 0; e < count_; ++e) {
    const double z = z_[e];
    mean += z;
    square += z * z;
  }
  const auto count = static_cast<double>(std::max<std::size_t>(count_, 1));
  mean /= count;
  return std::sqrt(std::max(square / count - mean * mean, 0.0));
}

}  // namespace mmo
