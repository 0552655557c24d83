#include "mmo/calibrate/blend.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mmo/core/parallel.h"

namespace mmo {
namespace {

constexpr std::size_t enough_cells = 200'000;
constexpr double least_weight = 0.03;  // a learner below it is dropped
constexpr double prior_strength = 20;  // of all labels' common weights, against the cells of one band
constexpr int most_rounds = 60;
// Labels with fewer positives than this, or than the next number, share weights.
constexpr std::array<std::size_t, 2> band_ends{30, 300};

// The known cells of some labels: learners' logits z, sign t and weight.
struct BlendCells {
  std::size_t learners;
  std::vector<float> z;  // cells × learners
  std::vector<float> sign, weight;
  double mass = 0;

  BlendCells(std::span<const DenseMatrix> scores, const std::vector<std::uint32_t>& labels,
             const LabelMatrix& truth, const LabelMatrix* unknown, std::span<const float> row_weights)
      : learners(scores.size()) {
    const std::size_t rows = truth.rows;
    const std::size_t every = std::max<std::size_t>(1, rows * labels.size() / enough_cells);
    std::vector<char> state(truth.cols);  // 1 = present, 2 = unknown
    for (std::size_t i = 0; i < rows; i += every) {
      const auto missing =
          unknown != nullptr && unknown->rows > 0 ? unknown->row(i) : std::span<const std::uint32_t>{};
      for (const std::uint32_t j : truth.row(i)) state[j] = 1;
      for (const std::uint32_t j : missing) state[j] = 2;
      for (const std::uint32_t j : labels) {
        if (state[j] == 2) continue;
        for (const DenseMatrix& s : scores) z.push_back(s(i, j));
        sign.push_back(state[j] == 1 ? 1.0F : -1.0F);
        weight.push_back(row_weights.empty() ? 1.0F : row_weights[i]);
        mass += weight.back();
      }
      for (const std::uint32_t j : truth.row(i)) state[j] = 0;
      for (const std::uint32_t j : missing) state[j] = 0;
    }
  }
};

// θ = (w_1 … w_K, c)
struct BlendPoint {
  Eigen::VectorXd theta, gradient;
  Eigen::MatrixXd hessian;
  double value = 0;
};

// Σ weight·softplus(−t·(w·z + c)) + ½·strength·|θ − prior|², with its derivatives.
BlendPoint expand(const BlendCells& cells, const Eigen::VectorXd& theta, const Eigen::VectorXd& prior,
                  double strength) {
  const auto size = theta.size();
  const Eigen::VectorXd away = theta - prior;
  BlendPoint out{theta, strength * away, strength * Eigen::MatrixXd::Identity(size, size),
                 0.5 * strength * away.squaredNorm()};
  Eigen::VectorXd x(size);
  x[size - 1] = 1;
  for (std::size_t e = 0; e < cells.sign.size(); ++e) {
    for (std::size_t k = 0; k < cells.learners; ++k)
      x[static_cast<Eigen::Index>(k)] = cells.z[e * cells.learners + k];
    const double margin = -cells.sign[e] * theta.dot(x);
    const double wrong = 1 / (1 + std::exp(-margin));
    out.value += cells.weight[e] *
                 (margin > 0 ? margin + std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)));
    out.gradient -= (cells.weight[e] * cells.sign[e] * wrong) * x;
    out.hessian.selfadjointView<Eigen::Lower>().rankUpdate(x, cells.weight[e] * wrong * (1 - wrong));
  }
  out.hessian = out.hessian.selfadjointView<Eigen::Lower>();
  return out;
}

// Newton's direction over the parameters that may move: learners in use, minus weights that press against
// 0.
Eigen::VectorXd direction(const BlendPoint& at, const std::vector<char>& in_use) {
  const auto size = at.theta.size();
  Eigen::MatrixXd hessian = at.hessian;
  Eigen::VectorXd gradient = at.gradient;
  hessian.diagonal().array() += 1e-9 * hessian.trace() + 1e-12;
  for (Eigen::Index k = 0; k + 1 < size; ++k) {
    const bool pressed = at.theta[k] <= 0 && gradient[k] > 0;
    if (in_use[static_cast<std::size_t>(k)] != 0 && !pressed) continue;
    hessian.row(k).setZero();
    hessian.col(k).setZero();
    hessian(k, k) = 1;
    gradient[k] = 0;
  }
  return -hessian.ldlt().solve(gradient);
}

// Projected Newton steps: weights stay at 0 or above, the step is halved until the loss falls.
BlendPoint minimise(const BlendCells& cells, const Eigen::VectorXd& start, const std::vector<char>& in_use,
                    double strength) {
  BlendPoint at = expand(cells, start, start, strength);
  for (int round = 0; round < most_rounds; ++round) {
    throw_if_cancelled();
    const Eigen::VectorXd move = direction(at, in_use);
    BlendPoint next;
    next.value = std::numeric_limits<double>::infinity();
    for (double step = 1; step > 1e-4 && !(next.value < at.value); step *= 0.5) {
      Eigen::VectorXd theta = at.theta + step * move;
      theta.head(theta.size() - 1) = theta.head(theta.size() - 1).cwiseMax(0.0);
      next = expand(cells, theta, start, strength);
    }
    if (!(next.value < at.value)) break;
    const bool settled = at.value - next.value < 1e-8 * at.value;
    at = std::move(next);
    if (settled) break;
  }
  return at;
}

// Common weights for all labels, dropping learners that hardly count.
Eigen::VectorXd pooled_weights(const BlendCells& cells, std::vector<char>& in_use, double& log_loss) {
  const auto learners = static_cast<Eigen::Index>(cells.learners);
  Eigen::VectorXd theta = Eigen::VectorXd::Constant(learners + 1, 1.0 / static_cast<double>(learners));
  theta[learners] = 0;
  while (true) {
    const BlendPoint at = minimise(cells, theta, in_use, 0);
    theta = at.theta;
    log_loss = at.value / std::max(cells.mass, 1e-12);
    Eigen::Index least = -1;
    for (Eigen::Index k = 0; k < learners; ++k) {
      if (in_use[static_cast<std::size_t>(k)] != 0 && (least < 0 || theta[k] < theta[least])) least = k;
    }
    const auto used = std::count(in_use.begin(), in_use.end(), 1);
    if (used < 2 || theta[least] >= least_weight) return theta;
    in_use[static_cast<std::size_t>(least)] = 0;
    theta[least] = 0;
  }
}

std::vector<std::vector<std::uint32_t>> bands_of(const LabelMatrix& labels) {
  std::vector<std::size_t> positives(labels.cols);
  for (const std::uint32_t j : labels.indices) ++positives[j];
  std::vector<std::vector<std::uint32_t>> bands(band_ends.size() + 1);
  for (std::uint32_t j = 0; j < labels.cols; ++j) {
    const auto end = std::upper_bound(band_ends.begin(), band_ends.end(), positives[j]);
    bands[static_cast<std::size_t>(end - band_ends.begin())].push_back(j);
  }
  return bands;
}

}  // namespace

Blend fit_blend(std::span<const DenseMatrix> scores, const LabelMatrix& labels, const LabelMatrix* unknown,
                std::span<const float> row_weights) {
  std::vector<std::uint32_t> all(labels.cols);
  for (std::uint32_t j = 0; j < labels.cols; ++j) all[j] = j;
  std::vector<char> in_use(scores.size(), 1);
  Blend out;
  const Eigen::VectorXd pooled =
      pooled_weights({scores, all, labels, unknown, row_weights}, in_use, out.log_loss);
  out.pooled.assign(pooled.data(), pooled.data() + scores.size());
  out.weights = DenseMatrix(scores.size(), labels.cols);
  out.shift.resize(labels.cols);
  for (const std::vector<std::uint32_t>& band : bands_of(labels)) {
    Eigen::VectorXd theta = pooled;
    if (!band.empty() && band.size() < labels.cols)
      theta = minimise({scores, band, labels, unknown, row_weights}, pooled, in_use, prior_strength).theta;
    for (const std::uint32_t j : band) {
      for (std::size_t k = 0; k < scores.size(); ++k)
        out.weights(k, j) = static_cast<float>(theta[static_cast<Eigen::Index>(k)]);
      out.shift[j] = static_cast<float>(theta[theta.size() - 1]);
    }
  }
  return out;
}

DenseMatrix blend_scores(const Blend& blend, std::span<const DenseMatrix> scores) {
  DenseMatrix out(scores.front().rows, scores.front().cols);
  for (std::size_t i = 0; i < out.rows; ++i) {
    std::copy(blend.shift.begin(), blend.shift.end(), out.row(i).begin());
    for (std::size_t k = 0; k < scores.size(); ++k) {
      for (std::size_t j = 0; j < out.cols; ++j) out(i, j) += blend.weights(k, j) * scores[k](i, j);
    }
  }
  return out;
}

}  // namespace mmo
