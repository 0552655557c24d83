#include "mmo/stack/fit_mix.h"

#include <Eigen/Dense>
#include <algorithm>
#include <vector>

#include "mmo/core/parallel.h"
#include "mmo/loss/softplus.h"

namespace mmo {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// PcᵀPc and Pcᵀ(Y − P) over one fold's rows.
struct Moments {
  Eigen::MatrixXf gram, cross;
};

// V of the rows whose moments are given.
Eigen::MatrixXf solve(const Moments& m, double ridge) {
  const auto labels = m.gram.rows();
  const auto shift = static_cast<float>(ridge * m.gram.trace() / static_cast<double>(labels) + 1e-6);
  return (m.gram + shift * Eigen::MatrixXf::Identity(labels, labels)).llt().solve(m.cross);
}

// Newton for (a, b, c) of softplus(−t·(a·z + b·q + c)) over cells, at most `enough` of them.
Eigen::Vector3d combine_scores(const DenseMatrix& z, const DenseMatrix& q, const LabelMatrix& labels,
                               const LabelMatrix* unknown, std::span<const float> row_weights, double& before,
                               double& after) {
  constexpr std::size_t enough = 2'000'000;
  const std::size_t every = std::max<std::size_t>(1, z.rows * z.cols / enough);
  const auto expand = [&](const Eigen::Vector3d& theta, Eigen::Vector3d& gradient, Eigen::Matrix3d& hessian) {
    double value = 0;
    double mass = 0;
    gradient.setZero();
    hessian.setZero();
    std::vector<float> sign(z.cols);
    for (std::size_t i = 0; i < z.rows; i += every) {
      std::fill(sign.begin(), sign.end(), -1.0F);
      for (const std::uint32_t j : labels.row(i)) sign[j] = 1.0F;
      if (unknown != nullptr && unknown->rows > 0) {
        for (const std::uint32_t j : unknown->row(i)) sign[j] = 0.0F;
      }
      const double weight = row_weights.empty() ? 1.0 : static_cast<double>(row_weights[i]);
      for (std::size_t j = 0; j < z.cols; ++j) {
        if (sign[j] == 0.0F) continue;
        const Eigen::Vector3d x(z(i, j), q(i, j), 1.0);
        float loss = 0;
        float slope = 0;
        softplus_sigmoid(-sign[j] * static_cast<float>(theta.dot(x)), loss, slope);
        value += weight * loss;
        mass += weight;
        gradient -= weight * sign[j] * slope * x;
        hessian += weight * slope * (1.0F - slope) * x * x.transpose();
      }
    }
    gradient /= std::max(mass, 1e-12);
    hessian /= std::max(mass, 1e-12);
    return value / std::max(mass, 1e-12);
  };
  Eigen::Vector3d theta(1.0, 0.0, 0.0);
  Eigen::Vector3d gradient;
  Eigen::Matrix3d hessian;
  double value = expand(theta, gradient, hessian);
  before = value;
  for (int round = 0; round < 20; ++round) {
    const Eigen::Vector3d move = -(hessian + 1e-9 * Eigen::Matrix3d::Identity()).ldlt().solve(gradient);
    if (!(-move.dot(gradient) > 1e-8 * value)) break;
    double step = 1.0;
    Eigen::Vector3d next_gradient;
    Eigen::Matrix3d next_hessian;
    double next = expand(theta + move, next_gradient, next_hessian);
    while (next > value && step > 1e-3) {
      step *= 0.5;
      next = expand(theta + step * move, next_gradient, next_hessian);
    }
    if (next > value) break;
    theta += step * move;
    value = next;
    gradient = next_gradient;
    hessian = next_hessian;
  }
  after = value;
  return theta;
}

}  // namespace

FittedMix fit_mix(const DenseMatrix& scores, const LabelMatrix& labels, const LabelMatrix* unknown,
                  std::span<const float> row_weights, std::span<const std::uint32_t> fold_of_row,
                  double ridge) {
  const std::size_t n = scores.rows;
  const std::size_t l = scores.cols;
  const std::size_t folds =
      fold_of_row.empty() ? 1 : 1 + *std::max_element(fold_of_row.begin(), fold_of_row.end());

  // P and its mean.
  DenseMatrix p(n, l);
  for (std::size_t e = 0; e < p.values.size(); ++e) p.values[e] = sigmoid(scores.values[e]);
  std::vector<double> sum(l);
  double mass = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = row_weights.empty() ? 1.0 : static_cast<double>(row_weights[i]);
    for (std::size_t j = 0; j < l; ++j) sum[j] += weight * p(i, j);
    mass += weight;
  }
  LabelMix mix;
  mix.centre.resize(l);
  for (std::size_t j = 0; j < l; ++j) mix.centre[j] = static_cast<float>(sum[j] / std::max(mass, 1e-12));

  // Moments by fold, one task each: E = Y − P with 0 in unknown cells, rows scaled by √weight.
  std::vector<Moments> moments(folds);
  parallel_for(folds, [&](std::size_t f) {
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < n; ++i) {
      if (folds == 1 || fold_of_row[i] == f) rows.push_back(static_cast<std::uint32_t>(i));
    }
    RowMajor centred(rows.size(), l);
    RowMajor error(rows.size(), l);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::size_t i = rows[r];
      const float root = row_weights.empty() ? 1.0F : std::sqrt(row_weights[i]);
      for (std::size_t j = 0; j < l; ++j) {
        centred(r, j) = root * (p(i, j) - mix.centre[j]);
        error(r, j) = -root * p(i, j);
      }
      for (const std::uint32_t j : labels.row(i)) error(r, j) += root;
      if (unknown != nullptr && unknown->rows > 0) {
        for (const std::uint32_t j : unknown->row(i)) error(r, j) = 0.0F;
      }
    }
    moments[f].gram.noalias() = centred.transpose() * centred;
    moments[f].cross.noalias() = centred.transpose() * error;
  });
  Moments all{Eigen::MatrixXf::Zero(l, l), Eigen::MatrixXf::Zero(l, l)};
  for (const Moments& m : moments) {
    all.gram += m.gram;
    all.cross += m.cross;
  }

  // Out-of-fold Q: V from the other folds.
  DenseMatrix q(n, l);
  parallel_for(folds, [&](std::size_t f) {
    const Eigen::MatrixXf v = folds == 1
                                  ? solve(all, ridge)
                                  : solve({all.gram - moments[f].gram, all.cross - moments[f].cross}, ridge);
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < n; ++i) {
      if (folds == 1 || fold_of_row[i] == f) rows.push_back(static_cast<std::uint32_t>(i));
    }
    RowMajor centred(rows.size(), l);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t j = 0; j < l; ++j) centred(r, j) = p(rows[r], j) - mix.centre[j];
    }
    const RowMajor out = centred * v;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t j = 0; j < l; ++j) q(rows[r], j) = out(r, j);
    }
  });

  FittedMix fitted;
  const Eigen::Vector3d theta =
      combine_scores(scores, q, labels, unknown, row_weights, fitted.log_loss_before, fitted.log_loss_after);
  mix.scale = static_cast<float>(theta[0]);
  mix.shift = static_cast<float>(theta[2]);
  const Eigen::MatrixXf v = solve(all, ridge);
  mix.weights = DenseMatrix(l, l);
  for (std::size_t k = 0; k < l; ++k) {
    for (std::size_t j = 0; j < l; ++j)
      mix.weights(k, j) =
          static_cast<float>(theta[1]) * v(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j));
  }
  fitted.scores = DenseMatrix(n, l);
  for (std::size_t e = 0; e < fitted.scores.values.size(); ++e) {
    fitted.scores.values[e] =
        static_cast<float>(theta[0] * scores.values[e] + theta[1] * q.values[e] + theta[2]);
  }
  fitted.mix = std::move(mix);
  return fitted;
}

}  // namespace mmo
