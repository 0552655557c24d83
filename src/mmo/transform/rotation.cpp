#include "mmo/transform/rotation.h"

#include <Eigen/Dense>

namespace mmo {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<const RowMajor>;

View view(const DenseMatrix& m) {
  return {m.values.data(), static_cast<Eigen::Index>(m.rows), static_cast<Eigen::Index>(m.cols)};
}

}  // namespace

Rotation principal_axes(const DenseMatrix& x) {
  const auto data = view(x);
  Eigen::MatrixXf gram = Eigen::MatrixXf::Zero(data.cols(), data.cols());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(data.transpose());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXf> solver(gram);
  const auto& values = solver.eigenvalues();  // ascending
  const float largest = values.size() > 0 ? values[values.size() - 1] : 0.0F;
  Eigen::Index first = 0;
  while (first < values.size() && values[first] <= 1e-6F * largest) ++first;
  const Eigen::Index kept = values.size() - first;
  Rotation rotation{DenseMatrix(x.cols, static_cast<std::size_t>(kept))};
  Eigen::Map<RowMajor>(rotation.axes.values.data(), data.cols(), kept) =
      solver.eigenvectors().rightCols(kept);
  return rotation;
}

DenseMatrix Rotation::apply(const DenseMatrix& x) const {
  DenseMatrix out(x.rows, axes.cols);
  Eigen::Map<RowMajor>(out.values.data(), static_cast<Eigen::Index>(out.rows),
                       static_cast<Eigen::Index>(out.cols))
      .noalias() = view(x) * view(axes);
  return out;
}

DenseMatrix Rotation::undo(const DenseMatrix& rotated_weights) const {
  DenseMatrix out(axes.rows + 1, rotated_weights.cols);
  const auto rotated = view(rotated_weights);
  Eigen::Map<RowMajor> to(out.values.data(), static_cast<Eigen::Index>(out.rows),
                          static_cast<Eigen::Index>(out.cols));
  to.topRows(static_cast<Eigen::Index>(axes.rows)).noalias() =
      view(axes) * rotated.topRows(static_cast<Eigen::Index>(axes.cols));
  to.bottomRows(1) = rotated.bottomRows(1);
  return out;
}

}  // namespace mmo
