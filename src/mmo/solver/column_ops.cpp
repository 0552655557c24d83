#include "mmo/solver/column_ops.h"

#include <algorithm>
#include <vector>

#include "mmo/core/simd.h"

namespace mmo {

MMO_SIMD void column_dot(const float* a, const float* b, std::size_t rows, std::size_t stride, double* out) {
  constexpr std::size_t run = 128;
  std::fill_n(out, stride, 0.0);
  for (std::size_t first = 0; first < rows; first += run) {
    const std::size_t last = std::min(first + run, rows);
    for (std::size_t c = 0; c < stride; c += lanes) {
      Vec8 sum = {};
      for (std::size_t k = first; k < last; ++k) sum += load8(a + k * stride + c) * load8(b + k * stride + c);
      for (std::size_t v = 0; v < lanes; ++v) out[c + v] += static_cast<double>(sum[v]);
    }
  }
}

MMO_SIMD void column_axpy(const float* scale, const float* x, std::size_t rows, std::size_t stride,
                          float* y) {
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t c = 0; c < stride; c += lanes) {
      const std::size_t at = k * stride + c;
      store8(y + at, load8(y + at) + load8(scale + c) * load8(x + at));
    }
  }
}

MMO_SIMD void column_scale(const float* scale, const float* x, std::size_t rows, std::size_t stride,
                           float* y) {
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t c = 0; c < stride; c += lanes) {
      const std::size_t at = k * stride + c;
      store8(y + at, load8(scale + c) * load8(x + at));
    }
  }
}

void invert_diagonal(const float* ridge, std::size_t rows, std::size_t stride, float* d) {
  constexpr float flat = 1e-6F;  // a bias without curvature: the column is left out everywhere
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t c = 0; c < stride; ++c) {
      float& value = d[k * stride + c];
      value = 1.0F / (std::max(value, flat) + (k + 1 < rows ? ridge[c] : 0.0F));
    }
  }
}

MMO_SIMD void multiply(const float* x, std::size_t count, float* y) {
  for (std::size_t e = 0; e < count; e += lanes) store8(y + e, load8(y + e) * load8(x + e));
}

}  // namespace mmo
