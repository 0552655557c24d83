#include "mmo/transform/principal_axes.h"

#include <Eigen/Dense>
#include <algorithm>

#include "mmo/core/product.h"

namespace mmo {

DenseMatrix principal_axes(const DenseMatrix& x, std::size_t count) {
  const auto d = static_cast<Eigen::Index>(x.cols);
  const DenseMatrix moments = gram(x);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXf> solver(
      Eigen::Map<const Eigen::MatrixXf>(moments.values.data(), d, d));
  const auto& values = solver.eigenvalues();  // ascending
  std::size_t kept = 0;
  while (kept < std::min(count, x.cols) &&
         values[d - 1 - static_cast<Eigen::Index>(kept)] > 1e-6F * values[d - 1])
    ++kept;
  DenseMatrix axes(x.cols, kept);
  for (std::size_t k = 0; k < x.cols; ++k) {
    for (std::size_t c = 0; c < kept; ++c)
      axes(k, c) = solver.eigenvectors()(static_cast<Eigen::Index>(k), d - 1 - static_cast<Eigen::Index>(c));
  }
  return axes;
}

}  // namespace mmo
