#include <Eigen/Dense>
#include <algorithm>
#include <utility>

#include "mmo/core/parallel.h"
#include "mmo/learn/kernel/inverse.h"
#include "mmo/learn/kernel/kernel_ridge.h"
#include "mmo/learn/kernel/multiply.h"

namespace mmo {
namespace {

constexpr float least_weight = 1e-6F;  // of a row: keeps λ/w finite

// With C = (K + λ·W⁻¹)⁻¹, c = C·1 and s = 1ᵀC·1: b = cᵀt/s, α = C·t − c·b, and for the rows F of a fold
//   t_F − (their scores without the fold) = (C_FF − c_F·c_Fᵀ/s)⁻¹·α_F.
class ExactRidge final : public KernelRidge {
 public:
  ExactRidge(DenseMatrix kernel, const RidgeRows& rows, double ridge)
      : inverse_(std::move(kernel)), folds_(rows.by_fold()), sums_(inverse_.rows) {
    for (std::size_t i = 0; i < inverse_.rows; ++i) {
      const float weight = rows.weights.empty() ? 1.0F : std::max(rows.weights[i], least_weight);
      inverse_(i, i) += static_cast<float>(ridge) / weight;
    }
    invert_positive(inverse_);
    for (std::size_t i = 0; i < inverse_.rows; ++i) {
      for (const float value : inverse_.row(i)) sums_[i] += value;
      total_ += sums_[i];
    }
  }

  [[nodiscard]] DenseMatrix left_out(const DenseMatrix& targets) const override {
    const DenseMatrix alpha = fit(targets).weights;
    DenseMatrix out(targets.rows, targets.cols);
    parallel_for(folds_.size(), [&](std::size_t f) { leave_out(folds_[f], alpha, targets, out); });
    return out;
  }

  [[nodiscard]] Fit fit(const DenseMatrix& targets) const override {
    Fit out{multiply(inverse_, targets), std::vector<float>(targets.cols)};
    for (std::size_t j = 0; j < targets.cols; ++j) {
      double bias = 0;
      for (std::size_t i = 0; i < targets.rows; ++i) bias += sums_[i] * targets(i, j);
      bias /= total_;
      out.bias[j] = static_cast<float>(bias);
      for (std::size_t i = 0; i < targets.rows; ++i) out.weights(i, j) -= static_cast<float>(sums_[i] * bias);
    }
    return out;
  }

 private:
  void leave_out(const std::vector<std::uint32_t>& rows, const DenseMatrix& alpha, const DenseMatrix& targets,
                 DenseMatrix& out) const {
    const auto n = static_cast<Eigen::Index>(rows.size());
    const auto l = static_cast<Eigen::Index>(targets.cols);
    Eigen::MatrixXd block(n, n);
    Eigen::MatrixXd residuals(n, l);
    for (Eigen::Index a = 0; a < n; ++a) {
      const std::uint32_t i = rows[static_cast<std::size_t>(a)];
      for (Eigen::Index b = 0; b < n; ++b) {
        const std::uint32_t k = rows[static_cast<std::size_t>(b)];
        block(a, b) = inverse_(i, k) - sums_[i] * sums_[k] / total_;
      }
      for (Eigen::Index j = 0; j < l; ++j) residuals(a, j) = alpha(i, static_cast<std::size_t>(j));
    }
    block.diagonal().array() += 1e-9 * block.trace() / static_cast<double>(std::max<Eigen::Index>(n, 1));
    residuals = block.ldlt().solve(residuals);
    for (Eigen::Index a = 0; a < n; ++a) {
      const std::uint32_t i = rows[static_cast<std::size_t>(a)];
      for (std::size_t j = 0; j < targets.cols; ++j)
        out(i, j) = static_cast<float>(targets(i, j) - residuals(a, static_cast<Eigen::Index>(j)));
    }
  }

  DenseMatrix inverse_;
  std::vector<std::vector<std::uint32_t>> folds_;
  std::vector<double> sums_;
  double total_ = 0;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> RidgeRows::by_fold() const {
  std::vector<std::vector<std::uint32_t>> out(folds);
  for (std::uint32_t i = 0; i < fold_of_row.size(); ++i) {
    if (fold_of_row[i] < folds) out[fold_of_row[i]].push_back(i);
  }
  return out;
}

std::unique_ptr<KernelRidge> exact_ridge(DenseMatrix kernel, const RidgeRows& rows, double ridge) {
  return std::make_unique<ExactRidge>(std::move(kernel), rows, ridge);
}

void fill_unknown(const KernelRidge& ridge, std::span<const std::pair<std::uint32_t, std::uint32_t>> cells,
                  DenseMatrix& targets) {
  constexpr int rounds = 4;
  for (int round = 0; round < rounds && !cells.empty(); ++round) {
    const DenseMatrix scores = ridge.left_out(targets);
    for (const auto& [row, label] : cells) targets(row, label) = scores(row, label);
  }
}

}  // namespace mmo
