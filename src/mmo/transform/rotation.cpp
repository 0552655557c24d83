#include "mmo/transform/rotation.h"

#include <Eigen/Dense>

#include "mmo/core/product.h"

namespace mmo {

Rotation principal_axes(const DenseMatrix& x) {
  const auto d = static_cast<Eigen::Index>(x.cols);
  const DenseMatrix moments = gram(x);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXf> solver(
      Eigen::Map<const Eigen::MatrixXf>(moments.values.data(), d, d));
  const auto& values = solver.eigenvalues();  // ascending
  const float largest = d > 0 ? values[d - 1] : 0.0F;
  Eigen::Index first = 0;
  while (first < d && values[first] <= 1e-6F * largest) ++first;
  Rotation rotation{DenseMatrix(x.cols, static_cast<std::size_t>(d - first))};
  for (Eigen::Index k = 0; k < d; ++k) {
    for (Eigen::Index c = first; c < d; ++c) {
      rotation.axes(static_cast<std::size_t>(k), static_cast<std::size_t>(c - first)) =
          solver.eigenvectors()(k, c);
    }
  }
  return rotation;
}

DenseMatrix Rotation::apply(const DenseMatrix& x) const {
  DenseMatrix out(x.rows, axes.cols);
  add_product(x.values.data(), x.rows, axes, out.values.data());
  return out;
}

DenseMatrix Rotation::undo(const DenseMatrix& rotated_weights) const {
  DenseMatrix rotated = rotated_weights;
  rotated.values.resize(axes.cols * rotated.cols);  // without the bias row
  rotated.rows = axes.cols;
  DenseMatrix out(axes.rows + 1, rotated.cols);
  add_product(axes.values.data(), axes.rows, rotated, out.values.data());
  std::copy(rotated_weights.row(axes.cols).begin(), rotated_weights.row(axes.cols).end(),
            out.row(axes.rows).begin());
  return out;
}

}  // namespace mmo
