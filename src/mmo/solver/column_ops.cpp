#include "mmo/solver/column_ops.h"

#include <algorithm>
#include <vector>

#include "mmo/core/simd.h"

namespace mmo {
namespace {

// Rows summed in floats before they go to doubles; a run of a few blocks stays in the first-level cache.
constexpr std::size_t run = 64;

MMO_INLINE void add_to(double* total, const Vec8& sum) {
  for (std::size_t v = 0; v < lanes; ++v) total[v] += static_cast<double>(sum[v]);
}

// body(first, last, c) for all runs of rows and groups of eight columns; the bias is a run of its own.
template <class Body>
MMO_INLINE void for_each_run(std::size_t rows, std::size_t stride, const Body& body) {
  if (rows == 0) return;
  for (std::size_t first = 0; first + 1 < rows; first += run) {
    const std::size_t last = std::min(first + run, rows - 1);
    for (std::size_t c = 0; c < stride; c += lanes) body(first, last, c);
  }
  for (std::size_t c = 0; c < stride; c += lanes) body(rows - 1, rows, c);
}

}  // namespace

MMO_SIMD void invert_diagonal(const float* ridge, std::size_t rows, std::size_t stride, float* d) {
  const Vec8 flat = Vec8{} + 1e-6F;  // no curvature, as in the bias of a column that is left out everywhere
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t c = 0; c < stride; c += lanes) {
      float* const at = d + k * stride + c;
      const Vec8 value = k + 1 < rows ? load8(at) + load8(ridge + c) : load8(at);
      store8(at, 1.0F / (value > flat ? value : flat));
    }
  }
}

MMO_SIMD void move_columns(const float* step, const float* p, const float* move, std::size_t rows,
                           std::size_t stride, float* w, Half* s) {
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t c = 0; c < stride; c += lanes) {
      const std::size_t at = k * stride + c;
      const Vec8 length = load8(step + c);
      store_half(s + at, length * load8(p + at));
      store8(w + at, load8(w + at) + length * load8(move + at));
    }
  }
}

MMO_SIMD void direction_sums(const float* w, const float* p, std::size_t rows, std::size_t stride,
                             double* w_p, double* p_p) {
  for (double* total : {w_p, p_p}) std::fill_n(total, stride, 0.0);
  for_each_run(rows - 1, stride, [&](std::size_t first, std::size_t last, std::size_t c) MMO_INLINE_LAMBDA {
    Vec8 wp = {};
    Vec8 pp = {};
    for (std::size_t at = first * stride + c; at < last * stride; at += stride) {
      const Vec8 direction = load8(p + at);
      wp += load8(w + at) * direction;
      pp += direction * direction;
    }
    add_to(w_p + c, wp);
    add_to(p_p + c, pp);
  });
}

MMO_SIMD void add_ridge(const float* ridge, const float* w, std::size_t rows, std::size_t stride, float* g,
                        double* ww) {
  std::fill_n(ww, stride, 0.0);
  for_each_run(rows - 1, stride, [&](std::size_t first, std::size_t last, std::size_t c) MMO_INLINE_LAMBDA {
    const Vec8 scale = load8(ridge + c);
    Vec8 sum = {};
    for (std::size_t at = first * stride + c; at < last * stride; at += stride) {
      const Vec8 weight = load8(w + at);
      store8(g + at, load8(g + at) + scale * weight);
      sum += weight * weight;
    }
    add_to(ww + c, sum);
  });
}

MMO_SIMD void gradient_change(const float* g, const float* before, const Half* s, std::size_t rows,
                              std::size_t stride, Half* y, double* sy) {
  std::fill_n(sy, stride, 0.0);
  for_each_run(rows, stride, [&](std::size_t first, std::size_t last, std::size_t c) MMO_INLINE_LAMBDA {
    Vec8 sum = {};
    for (std::size_t at = first * stride + c; at < last * stride; at += stride) {
      store_half(y + at, load8(g + at) - load8(before + at));
      sum += load_half(s + at) * load_half(y + at);  // as they are remembered
    }
    add_to(sy + c, sum);
  });
}

MMO_SIMD void pair_products(std::span<const StepPair> pairs, const float* g, const float* h, const Half* z,
                            std::size_t rows, std::size_t stride, std::span<const PairProducts> out) {
  for (const PairProducts& sums : out) {
    for (double* total : {sums.s_g, sums.y_hg, sums.s_z, sums.y_hz}) std::fill_n(total, stride, 0.0);
  }
  for_each_run(rows, stride, [&](std::size_t first, std::size_t last, std::size_t c) MMO_INLINE_LAMBDA {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      Vec8 s_g = {};
      Vec8 y_hg = {};
      Vec8 s_z = {};
      Vec8 y_hz = {};
      for (std::size_t at = first * stride + c; at < last * stride; at += stride) {
        const Vec8 s = load_half(pairs[i].s + at);
        const Vec8 hy = load_half(pairs[i].y + at) * load8(h + at);
        const Vec8 gradient = load8(g + at);
        const Vec8 latest = load_half(z + at);
        s_g += s * gradient;
        y_hg += hy * gradient;
        s_z += s * latest;
        y_hz += hy * latest;
      }
      add_to(out[i].s_g + c, s_g);
      add_to(out[i].y_hg + c, y_hg);
      add_to(out[i].s_z + c, s_z);
      add_to(out[i].y_hz + c, y_hz);
    }
  });
}

MMO_SIMD void combine_direction(std::span<const StepPair> pairs, const float* a, const float* b,
                                const float* g, const float* h, const float* w, std::size_t rows,
                                std::size_t stride, float* p, const DirectionSums& sums) {
  for (double* total : {sums.g_p, sums.w_p, sums.p_p}) std::fill_n(total, stride, 0.0);
  for_each_run(rows, stride, [&](std::size_t first, std::size_t last, std::size_t c) MMO_INLINE_LAMBDA {
    Vec8 g_p = {};
    Vec8 w_p = {};
    Vec8 p_p = {};
    for (std::size_t at = first * stride + c; at < last * stride; at += stride) {
      const Vec8 gradient = load8(g + at);
      Vec8 inner = gradient;
      Vec8 outer = {};
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        inner += load8(a + i * stride + c) * load_half(pairs[i].y + at);
        outer += load8(b + i * stride + c) * load_half(pairs[i].s + at);
      }
      const Vec8 direction = -(load8(h + at) * inner + outer);
      store8(p + at, direction);
      g_p += gradient * direction;
      w_p += load8(w + at) * direction;
      p_p += direction * direction;
    }
    add_to(sums.g_p + c, g_p);
    if (first + 1 == rows) return;  // the bias
    add_to(sums.w_p + c, w_p);
    add_to(sums.p_p + c, p_p);
  });
}

}  // namespace mmo
