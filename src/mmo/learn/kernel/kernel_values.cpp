#include "mmo/learn/kernel/kernel_values.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mmo/core/fast_exp.h"
#include "mmo/core/parallel.h"
#include "mmo/core/product.h"

namespace mmo {
namespace {

constexpr std::size_t rows_per_task = 64;

// values: x_i·c on entry, the kernel on return; |x − c|² = |x|² + |c|² − 2·x·c, at least 0.
template <bool root>
MMO_INLINE void to_kernel(float square_norm, const float* square_norms, std::size_t count, float decay,
                          float* values) {
  for (std::size_t c = 0; c < count; ++c) {
    const float square = square_norm + square_norms[c] - 2.0F * values[c];
    const float distance = simd::select(square < 0, 0.0F, square);
    values[c] = fast_exp(-decay * (root ? std::sqrt(distance) : distance));
  }
}

MMO_SIMD void to_gaussian(float square_norm, const float* square_norms, std::size_t count, float decay,
                          float* values) {
  to_kernel<false>(square_norm, square_norms, count, decay, values);
}

MMO_SIMD void to_exponential(float square_norm, const float* square_norms, std::size_t count, float decay,
                             float* values) {
  to_kernel<true>(square_norm, square_norms, count, decay, values);
}

}  // namespace

Landmarks::Landmarks(DenseMatrix by_column) : columns(std::move(by_column)), square_norms(columns.cols) {
  for (std::size_t k = 0; k < columns.rows; ++k) {
    for (std::size_t c = 0; c < columns.cols; ++c) square_norms[c] += columns(k, c) * columns(k, c);
  }
}

void kernel_values(const DenseMatrix& x, std::size_t first, std::size_t last, const Landmarks& landmarks,
                   const Kernel& kernel, float* out) {
  const auto finish = kernel.kind == Kernel::Kind::gaussian ? to_gaussian : to_exponential;
  const std::size_t count = landmarks.columns.cols;
  std::fill_n(out, (last - first) * count, 0.0F);
  add_product(x, first, last, landmarks.columns, out);
  for (std::size_t i = first; i < last; ++i) {
    float square_norm = 0;
    for (const float value : x.row(i)) square_norm += value * value;
    finish(square_norm, landmarks.square_norms.data(), count, kernel.decay, out + (i - first) * count);
  }
}

DenseMatrix kernel_values(const DenseMatrix& x, const Landmarks& landmarks, const Kernel& kernel) {
  DenseMatrix out(x.rows, landmarks.columns.cols);
  parallel_ranges(x.rows, rows_per_task, [&](std::size_t first, std::size_t last) {
    kernel_values(x, first, last, landmarks, kernel, out.row(first).data());
  });
  return out;
}

}  // namespace mmo
