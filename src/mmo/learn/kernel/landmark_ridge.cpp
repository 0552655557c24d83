#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "mmo/core/product.h"
#include "mmo/learn/kernel/inverse.h"
#include "mmo/learn/kernel/kernel_ridge.h"
#include "mmo/learn/kernel/multiply.h"

namespace mmo {
namespace {

constexpr double jitter = 1e-3;      // on the landmarks' own kernel, whose smallest eigenvalues are 0
constexpr double bias_ridge = 1e-4;  // leaves b practically free

// L⁻ᵀ of K + jitter·I = L·Lᵀ: kernel values times L⁻ᵀ have inner products close to the kernel.
DenseMatrix inverse_root(const DenseMatrix& between) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto m = static_cast<Eigen::Index>(between.rows);
  Eigen::MatrixXd k = Eigen::Map<const RowMajor>(between.values.data(), m, m).cast<double>();
  k.diagonal().array() += jitter;
  const Eigen::LLT<Eigen::MatrixXd> factor(std::move(k));
  const Eigen::MatrixXd inverse = factor.matrixL().solve(Eigen::MatrixXd::Identity(m, m));
  DenseMatrix out(between.rows, between.rows);
  Eigen::Map<RowMajor>(out.values.data(), m, m) = inverse.transpose().cast<float>();
  return out;
}

// F = (K·L⁻ᵀ, 1)
DenseMatrix with_constant(const DenseMatrix& x) {
  DenseMatrix out(x.rows, x.cols + 1, 1.0F);
  for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i).data(), x.cols, out.row(i).data());
  return out;
}

void add_to(DenseMatrix& sum, const DenseMatrix& part, float sign) {
  for (std::size_t e = 0; e < sum.values.size(); ++e) sum.values[e] += sign * part.values[e];
}

// β = A⁻¹·FᵀWt with A = FᵀWF + λI (b's λ is almost 0), α = L⁻ᵀ·β; without a fold, A and FᵀWt lose its rows.
class LandmarkRidge final : public KernelRidge {
 public:
  LandmarkRidge(const DenseMatrix& kernel, const DenseMatrix& between, const RidgeRows& rows, double ridge)
      : root_(inverse_root(between)),
        features_(with_constant(multiply(kernel, root_))),
        weights_(rows.weights.begin(), rows.weights.end()),
        folds_(rows.by_fold()) {
    if (weights_.empty()) weights_.assign(features_.rows, 1.0F);
    DenseMatrix weighted = features_;
    for (std::size_t i = 0; i < weighted.rows; ++i) {
      for (float& value : weighted.row(i)) value *= std::sqrt(weights_[i]);
    }
    DenseMatrix all = gram(weighted);
    for (std::size_t c = 0; c < all.rows; ++c)
      all(c, c) += static_cast<float>(c + 1 < all.rows ? ridge : bias_ridge);
    for (const std::vector<std::uint32_t>& fold : folds_) {
      without_.push_back(all);
      add_to(without_.back(), gram(take_rows(weighted, fold)), -1);
      invert_positive(without_.back());
    }
    invert_positive(all);
    inverse_ = std::move(all);
  }

  [[nodiscard]] DenseMatrix left_out(const DenseMatrix& targets) const override {
    std::vector<DenseMatrix> products;
    for (const std::vector<std::uint32_t>& fold : folds_) products.push_back(product(fold, targets));
    const DenseMatrix all = whole_product(targets);
    DenseMatrix out(targets.rows, targets.cols);
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      DenseMatrix others = all;
      add_to(others, products[f], -1);
      const DenseMatrix scores = multiply(take_rows(features_, folds_[f]), multiply(without_[f], others));
      for (std::size_t a = 0; a < folds_[f].size(); ++a)
        std::copy_n(scores.row(a).data(), scores.cols, out.row(folds_[f][a]).data());
    }
    return out;
  }

  [[nodiscard]] Fit fit(const DenseMatrix& targets) const override {
    DenseMatrix beta = multiply(inverse_, whole_product(targets));
    const auto bias = beta.row(beta.rows - 1);
    std::vector<float> biases(bias.begin(), bias.end());
    beta.values.resize((beta.rows - 1) * beta.cols);
    --beta.rows;
    return {multiply(root_, beta), std::move(biases)};
  }

 private:
  // FᵀWt of some rows.
  [[nodiscard]] DenseMatrix product(const std::vector<std::uint32_t>& rows,
                                    const DenseMatrix& targets) const {
    DenseMatrix weighted = take_rows(targets, rows);
    for (std::size_t a = 0; a < rows.size(); ++a) {
      for (float& target : weighted.row(a)) target *= weights_[rows[a]];
    }
    return multiply(transposed(take_rows(features_, rows)), weighted);
  }

  // Part of the rows at a time, so the transposed features take little memory.
  [[nodiscard]] DenseMatrix whole_product(const DenseMatrix& targets) const {
    constexpr std::uint32_t part = 16384;
    DenseMatrix out(features_.cols, targets.cols);
    for (std::uint32_t first = 0; first < features_.rows; first += part) {
      std::vector<std::uint32_t> rows;
      for (std::uint32_t i = first; i < std::min<std::size_t>(first + part, features_.rows); ++i)
        rows.push_back(i);
      add_to(out, product(rows, targets), 1);
    }
    return out;
  }

  DenseMatrix root_, features_;
  std::vector<float> weights_;
  std::vector<std::vector<std::uint32_t>> folds_;
  DenseMatrix inverse_;               // A⁻¹
  std::vector<DenseMatrix> without_;  // without each fold
};

}  // namespace

std::unique_ptr<KernelRidge> landmark_ridge(const DenseMatrix& kernel, const DenseMatrix& between,
                                            const RidgeRows& rows, double ridge) {
  return std::make_unique<LandmarkRidge>(kernel, between, rows, ridge);
}

}  // namespace mmo
