#include "mmo/learn/kernel/choose_kernel.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "mmo/calibrate/calibration.h"
#include "mmo/core/parallel.h"
#include "mmo/learn/kernel/kernel_ridge.h"
#include "mmo/learn/kernel/kernel_values.h"
#include "mmo/learn/kernel/multiply.h"

namespace mmo {
namespace {

constexpr double ridge_step = 3;
constexpr double width_step = 1.6;
constexpr int most_steps = 3;  // of width or ridge one way: too few to end up interpolating

// The median squared distance of the first few hundred rows; 1 if all are alike.
double median_square_distance(const DenseMatrix& x) {
  constexpr std::size_t enough_rows = 256;
  const std::size_t rows = std::min(x.rows, enough_rows);
  std::vector<double> squares;
  for (std::size_t a = 0; a < rows; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double square = 0;
      for (std::size_t k = 0; k < x.cols; ++k) {
        const double difference = double{x(a, k)} - x(b, k);
        square += difference * difference;
      }
      if (square > 0) squares.push_back(square);
    }
  }
  if (squares.empty()) return 1;
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  return *middle;
}

class Chooser {
 public:
  Chooser(const DenseMatrix& x, const RidgeData& data, Kernel::Kind kind)
      : x_(x), data_(data), kind_(kind), landmarks_(transposed(x)), median_(median_square_distance(x)) {}

  KernelPoint visit(double width, double ridge) {
    throw_if_cancelled();
    KernelPoint point{{kind_, 1}, width, ridge, 0};
    // exp(−|x − c|²/(2·width²·median²)), exp(−|x − c|/(width·median))
    point.kernel.decay =
        static_cast<float>(kind_ == Kernel::Kind::gaussian ? 1 / (2 * width * width * median_)
                                                           : 1 / (width * std::sqrt(median_)));
    const auto fitted = exact_ridge(kernel_values(x_, landmarks_, point.kernel), data_.rows(), ridge);
    DenseMatrix targets = data_.targets;
    fill_unknown(*fitted, data_.unknown_cells, targets);
    point.log_loss =
        fit_calibration(fitted->left_out(targets), data_.labels, data_.unknown_or_null(), data_.row_weights)
            .log_loss;
    visited_.push_back(point);
    return point;
  }

  // Moves away from `best` as long as that helps: first with growing values, then, if none did, falling ones.
  template <class Next>
  KernelPoint walk(KernelPoint best, const Next& next) {
    for (const double direction : {1.0, -1.0}) {
      const double before = best.log_loss;
      for (int step = 0; step < most_steps; ++step) {
        const KernelPoint point = next(best, direction);
        if (point.log_loss >= best.log_loss) break;
        best = point;
      }
      if (best.log_loss < before) break;
    }
    return best;
  }

  std::vector<KernelPoint> sorted() {
    std::stable_sort(visited_.begin(), visited_.end(),
                     [](const KernelPoint& a, const KernelPoint& b) { return a.log_loss < b.log_loss; });
    return visited_;
  }

 private:
  const DenseMatrix& x_;
  const RidgeData& data_;
  Kernel::Kind kind_;
  Landmarks landmarks_;
  double median_;
  std::vector<KernelPoint> visited_;
};

}  // namespace

std::vector<KernelPoint> choose_kernel(const DenseMatrix& x, const RidgeData& data, Kernel::Kind kind) {
  Chooser chooser(x, data, kind);
  const bool gaussian = kind == Kernel::Kind::gaussian;
  KernelPoint best = chooser.visit(gaussian ? 0.7 : 1, gaussian ? 0.9 : 0.3);
  best = chooser.walk(best, [&](const KernelPoint& from, double direction) {
    return chooser.visit(from.width, from.ridge * std::pow(ridge_step, direction));
  });
  chooser.walk(best, [&](const KernelPoint& from, double direction) {
    return chooser.visit(from.width * std::pow(width_step, direction), from.ridge);
  });
  return chooser.sorted();
}

}  // namespace mmo
