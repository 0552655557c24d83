#include "mmo/learn/linear/linear_adam.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "mmo/core/simd.h"
#include "mmo/objective/products.h"

namespace mmo {
namespace {

std::size_t padded(std::size_t columns) { return (columns + lanes - 1) / lanes * lanes; }

void copy_columns(const float* from, std::size_t from_stride, std::size_t rows, std::size_t columns,
                  std::size_t to_stride, float* to) {
  for (std::size_t k = 0; k < rows; ++k) std::copy_n(from + k * from_stride, columns, to + k * to_stride);
}

// The loss of a batch as a function of W and b, whose rows are padded to whole vectors:
// ∂/∂W = X_Bᵀ·slope, where X_B are the batch's rows.
class LinearBatches {
 public:
  LinearBatches(const Features& x, std::size_t labels, std::size_t batch, const BatchLoss& loss)
      : x_(x),
        loss_(loss),
        labels_(labels),
        stride_(padded(labels)),
        z_(batch * stride_),
        r_(batch * stride_),
        scores_(batch * labels),
        slope_(batch * labels) {}

  [[nodiscard]] std::size_t biases() const { return stride_; }

  double gradient(std::span<const std::uint32_t> rows, const std::vector<float>& w, std::vector<float>& g) {
    const Features part = take_rows(x_, rows);
    const std::size_t cells = rows.size() * labels_;
    std::visit([&](const auto& m) { forward(m, w.data(), stride_, z_.data()); }, part);
    copy_columns(z_.data(), stride_, rows.size(), labels_, labels_, scores_.data());
    const double value = loss_(rows, {scores_.data(), cells}, {slope_.data(), cells});
    copy_columns(slope_.data(), labels_, rows.size(), labels_, stride_, r_.data());
    std::visit([&](const auto& m) { backward(m, r_.data(), stride_, g.data()); }, part);
    return value;
  }

  void pack(const DenseMatrix& weights, std::vector<float>& w) const {
    w.assign(weights.rows * stride_, 0.0F);
    copy_columns(weights.values.data(), labels_, weights.rows, labels_, stride_, w.data());
  }
  void unpack(const std::vector<float>& w, DenseMatrix& weights) const {
    copy_columns(w.data(), stride_, weights.rows, labels_, labels_, weights.values.data());
  }

 private:
  const Features& x_;
  const BatchLoss& loss_;
  std::size_t labels_, stride_;
  std::vector<float> z_, r_, scores_, slope_;
};

}  // namespace

AdamStatus fit_linear_adam(const Features& x, std::span<const std::uint32_t> rows, const BatchLoss& loss,
                           const AdamOptions& options, const AfterStep& report, DenseMatrix& weights) {
  LinearBatches function(x, weights.cols, std::min(options.batch, rows.size()), loss);
  std::vector<float> w;
  function.pack(weights, w);
  const AdamStatus status = minimise_adam(
      function, rows, options,
      [&](std::size_t step, const std::vector<float>& now) {
        function.unpack(now, weights);
        report(step, weights);
      },
      w);
  function.unpack(w, weights);
  return status;
}

}  // namespace mmo
