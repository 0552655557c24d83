#include "mmo/stack/fit_mix.h"

#include <Eigen/Dense>
#include <algorithm>
#include <vector>

#include "mmo/core/parallel.h"
#include "mmo/core/product.h"
#include "mmo/loss/softplus.h"

namespace mmo {
namespace {

// PcᵀPc and Pcᵀ(Y − P) over one fold's rows.
struct Moments {
  DenseMatrix gram, cross;
};

// V = (gram + ridge·tr/l·I)⁻¹·cross.
DenseMatrix solve(const DenseMatrix& gram, const DenseMatrix& cross, double ridge) {
  const auto l = static_cast<Eigen::Index>(gram.rows);
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::MatrixXf shifted = Eigen::Map<const RowMajor>(gram.values.data(), l, l);
  shifted.diagonal().array() += static_cast<float>(ridge * shifted.trace() / static_cast<double>(l) + 1e-6);
  DenseMatrix v(gram.rows, gram.rows);
  Eigen::Map<RowMajor>(v.values.data(), l, l) =
      shifted.llt().solve(Eigen::Map<const RowMajor>(cross.values.data(), l, l));
  return v;
}

void subtract(DenseMatrix& from, const DenseMatrix& other) {
  for (std::size_t e = 0; e < from.values.size(); ++e) from.values[e] -= other.values[e];
}

// Newton for (a, b, c) of softplus(−t·(a·z + b·q + c)) over cells, at most `enough` of them.
Eigen::Vector3d combine_scores(const DenseMatrix& z, const DenseMatrix& q, const LabelMatrix& labels,
                               const LabelMatrix* unknown, std::span<const float> row_weights, double& before,
                               double& after) {
  constexpr std::size_t enough = 500'000;
  const std::size_t every = std::max<std::size_t>(1, z.rows * z.cols / enough);
  const auto expand = [&](const Eigen::Vector3d& theta, Eigen::Vector3d& gradient, Eigen::Matrix3d& hessian) {
    // Sums of loss, ∂/∂(z, q, 1) and ∂²: plain scalars, since this loop sees every cell.
    double value = 0, mass = 0, gz = 0, gq = 0, g1 = 0, hzz = 0, hzq = 0, hz1 = 0, hqq = 0, hq1 = 0, h11 = 0;
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
        const double zij = z(i, j);
        const double qij = q(i, j);
        float loss = 0;
        float slope = 0;
        softplus_sigmoid(-sign[j] * static_cast<float>(theta[0] * zij + theta[1] * qij + theta[2]), loss,
                         slope);
        const double g = -weight * sign[j] * slope;
        const double h = weight * slope * (1.0F - slope);
        value += weight * loss;
        mass += weight;
        gz += g * zij;
        gq += g * qij;
        g1 += g;
        hzz += h * zij * zij;
        hzq += h * zij * qij;
        hz1 += h * zij;
        hqq += h * qij * qij;
        hq1 += h * qij;
        h11 += h;
      }
    }
    const double scale = 1.0 / std::max(mass, 1e-12);
    gradient = scale * Eigen::Vector3d(gz, gq, g1);
    hessian << hzz, hzq, hz1, hzq, hqq, hq1, hz1, hq1, h11;
    hessian *= scale;
    return scale * value;
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
  if (!(theta[0] > 0)) {  // the scores themselves say nothing: leave them as they are
    after = before;
    return {1.0, 0.0, 0.0};
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

  // The rows of each fold.
  std::vector<std::vector<std::uint32_t>> rows_of_fold(folds);
  for (std::size_t i = 0; i < n; ++i)
    rows_of_fold[folds == 1 ? 0 : fold_of_row[i]].push_back(static_cast<std::uint32_t>(i));

  // Moments by fold, one task each: E = Y − P with 0 in unknown cells, rows scaled by √weight.
  std::vector<Moments> moments(folds);
  parallel_for(folds, [&](std::size_t f) {
    const auto& rows = rows_of_fold[f];
    DenseMatrix centred(rows.size(), l);
    DenseMatrix error(rows.size(), l);
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
    const DenseMatrix across = transpose(centred);
    moments[f] = {DenseMatrix(l, l), DenseMatrix(l, l)};
    add_product(across.values.data(), l, centred, moments[f].gram.values.data());
    add_product(across.values.data(), l, error, moments[f].cross.values.data());
  });
  Moments all{DenseMatrix(l, l), DenseMatrix(l, l)};
  for (const Moments& m : moments) {
    for (std::size_t e = 0; e < l * l; ++e) {
      all.gram.values[e] += m.gram.values[e];
      all.cross.values[e] += m.cross.values[e];
    }
  }

  // Out-of-fold Q: V from the other folds.
  DenseMatrix q(n, l);
  parallel_for(folds, [&](std::size_t f) {
    Moments others = all;
    if (folds > 1) {
      subtract(others.gram, moments[f].gram);
      subtract(others.cross, moments[f].cross);
    }
    const DenseMatrix v = solve(others.gram, others.cross, ridge);
    const auto& rows = rows_of_fold[f];
    DenseMatrix centred = take_rows(p, rows);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t j = 0; j < l; ++j) centred(r, j) -= mix.centre[j];
    }
    DenseMatrix out(rows.size(), l);
    add_product(centred.values.data(), centred.rows, v, out.values.data());
    for (std::size_t r = 0; r < rows.size(); ++r)
      std::copy(out.row(r).begin(), out.row(r).end(), q.row(rows[r]).begin());
  });

  FittedMix fitted;
  const Eigen::Vector3d theta =
      combine_scores(scores, q, labels, unknown, row_weights, fitted.log_loss_before, fitted.log_loss_after);
  mix.scale = static_cast<float>(theta[0]);
  mix.shift = static_cast<float>(theta[2]);
  mix.weights = solve(all.gram, all.cross, ridge);
  for (float& v : mix.weights.values) v *= static_cast<float>(theta[1]);
  fitted.scores = DenseMatrix(n, l);
  for (std::size_t e = 0; e < fitted.scores.values.size(); ++e) {
    fitted.scores.values[e] =
        static_cast<float>(theta[0] * scores.values[e] + theta[1] * q.values[e] + theta[2]);
  }
  fitted.mix = std::move(mix);
  return fitted;
}

}  // namespace mmo
