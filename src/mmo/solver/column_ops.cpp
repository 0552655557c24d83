#include "mmo/solver/column_ops.h"

#include <algorithm>

#include "mmo/core/simd.h"

namespace mmo {
namespace {

// Rows summed in floats before going to doubles; a run of a few blocks stays in the first-level cache.
constexpr std::size_t run = 64;

template <class Vec>
MMO_INLINE void add_to(double* total, const Vec& sum) {
  for (std::size_t v = 0; v < width_of<Vec>; ++v) total[v] += static_cast<double>(sum[v]);
}

// body<Vec>(c) for groups of columns, in vectors as wide as `Widest` where they fit.
template <class Widest, class Body>
MMO_INLINE void for_columns(std::size_t stride, const Body& body) {
  std::size_t c = 0;
  for (; c + width_of<Widest> <= stride; c += width_of<Widest>) body.template operator()<Widest>(c);
  if constexpr (width_of<Widest> > lanes) {
    if (c < stride) body.template operator()<Vec8>(c);
  }
}

// body<Vec>(first, last, c) for all runs of rows and groups of columns; the bias gets a run to itself. A
// column's sums do not depend on the width of the vectors.
template <class Widest, class Body>
MMO_INLINE void for_runs(std::size_t rows, std::size_t stride, const Body& body) {
  const auto all_columns = [&](std::size_t first, std::size_t last) MMO_INLINE_LAMBDA {
    for_columns<Widest>(stride, [&]<class Vec>(std::size_t c)
                                    MMO_INLINE_LAMBDA { body.template operator()<Vec>(first, last, c); });
  };
  if (rows == 0) return;
  for (std::size_t first = 0; first + 1 < rows; first += run)
    all_columns(first, std::min(first + run, rows - 1));
  all_columns(rows - 1, rows);
}

// The same, compiled for each instruction set.
template <class Body>
void for_each_run(std::size_t rows, std::size_t stride, const Body& body) {
  in_widest_vectors([=]<class Widest>() MMO_INLINE_LAMBDA { for_runs<Widest>(rows, stride, body); });
}

}  // namespace

void invert_diagonal(const float* ridge, std::size_t rows, std::size_t stride, float* d) {
  for_each_run(rows, stride,
               [=]<class Vec>(std::size_t first, std::size_t last, std::size_t c) MMO_INLINE_LAMBDA {
                 const Vec flat =
                     Vec{} + 1e-6F;  // no curvature, as in the bias of a column that is left out everywhere
                 const Vec added = first + 1 < rows ? load_vector<Vec>(ridge + c) : Vec{};
                 for (std::size_t at = first * stride + c; at < last * stride; at += stride) {
                   const Vec value = load_vector<Vec>(d + at) + added;
                   store_vector(d + at, Vec(1.0F / (value > flat ? value : flat)));
                 }
               });
}

void move_columns(const float* step, const float* p, const float* move, std::size_t rows, std::size_t stride,
                  float* w, Half* s) {
  for_each_run(rows, stride,
               [=]<class Vec>(std::size_t first, std::size_t last, std::size_t c) MMO_INLINE_LAMBDA {
                 const Vec length = load_vector<Vec>(step + c);
                 for (std::size_t at = first * stride + c; at < last * stride; at += stride) {
                   store_half(s + at, Vec(length * load_vector<Vec>(p + at)));
                   store_vector(w + at, Vec(load_vector<Vec>(w + at) + length * load_vector<Vec>(move + at)));
                 }
               });
}

MMO_SIMD void advance_scores(const float* step, const float* dz, std::size_t rows, std::size_t stride,
                             float* z) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < stride; c += lanes) {
      const std::size_t at = i * stride + c;
      store8(z + at, load8(z + at) + load8(step + c) * load8(dz + at));
    }
  }
}

void line_curvature(const float* curvature, const float* dz, std::size_t rows, std::size_t stride,
                    double* out) {
  std::fill_n(out, stride, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < stride; ++c) {
      const std::size_t at = i * stride + c;
      out[c] += static_cast<double>(curvature[at]) * dz[at] * dz[at];
    }
  }
}

void direction_sums(const float* w, const float* p, std::size_t rows, std::size_t stride, double* w_p,
                    double* p_p) {
  for (double* total : {w_p, p_p}) std::fill_n(total, stride, 0.0);
  for_each_run(rows - 1, stride,
               [=]<class Vec>(std::size_t first, std::size_t last, std::size_t c) MMO_INLINE_LAMBDA {
                 Vec wp = {};
                 Vec pp = {};
                 for (std::size_t at = first * stride + c; at < last * stride; at += stride) {
                   const Vec direction = load_vector<Vec>(p + at);
                   wp += load_vector<Vec>(w + at) * direction;
                   pp += direction * direction;
                 }
                 add_to(w_p + c, wp);
                 add_to(p_p + c, pp);
               });
}

void add_ridge(const float* ridge, const float* w, std::size_t rows, std::size_t stride, float* g,
               double* ww) {
  std::fill_n(ww, stride, 0.0);
  for_each_run(rows - 1, stride,
               [=]<class Vec>(std::size_t first, std::size_t last, std::size_t c) MMO_INLINE_LAMBDA {
                 const Vec scale = load_vector<Vec>(ridge + c);
                 Vec sum = {};
                 for (std::size_t at = first * stride + c; at < last * stride; at += stride) {
                   const Vec weight = load_vector<Vec>(w + at);
                   store_vector(g + at, Vec(load_vector<Vec>(g + at) + scale * weight));
                   sum += weight * weight;
                 }
                 add_to(ww + c, sum);
               });
}

void gradient_change(const float* g, const float* before, const Half* s, std::size_t rows, std::size_t stride,
                     Half* y, double* sy) {
  std::fill_n(sy, stride, 0.0);
  for_each_run(rows, stride,
               [=]<class Vec>(std::size_t first, std::size_t last, std::size_t c) MMO_INLINE_LAMBDA {
                 Vec sum = {};
                 for (std::size_t at = first * stride + c; at < last * stride; at += stride) {
                   store_half(y + at, Vec(load_vector<Vec>(g + at) - load_vector<Vec>(before + at)));
                   sum += load_half<Vec>(s + at) * load_half<Vec>(y + at);  // as rounded for storage
                 }
                 add_to(sy + c, sum);
               });
}

void pair_products(std::span<const StepPair> pairs, const float* g, const float* h, const Half* z,
                   std::size_t rows, std::size_t stride, std::span<const PairProducts> out) {
  for (const PairProducts& sums : out) {
    for (double* total : {sums.s_g, sums.y_hg, sums.s_z, sums.y_hz}) std::fill_n(total, stride, 0.0);
  }
  for_each_run(rows, stride,
               [=]<class Vec>(std::size_t first, std::size_t last, std::size_t c) MMO_INLINE_LAMBDA {
                 for (std::size_t i = 0; i < pairs.size(); ++i) {
                   const StepPair pair = pairs[i];
                   Vec s_g = {};
                   Vec y_hg = {};
                   Vec s_z = {};
                   Vec y_hz = {};
                   for (std::size_t at = first * stride + c; at < last * stride; at += stride) {
                     const Vec s = load_half<Vec>(pair.s + at);
                     const Vec hy = load_half<Vec>(pair.y + at) * load_vector<Vec>(h + at);
                     const Vec gradient = load_vector<Vec>(g + at);
                     const Vec latest = load_half<Vec>(z + at);
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

void combine_direction(std::span<const StepPair> pairs, const float* a, const float* b, const float* g,
                       const float* h, const float* w, std::size_t rows, std::size_t stride, float* p,
                       const DirectionSums& sums) {
  for (double* total : {sums.g_p, sums.w_p, sums.p_p}) std::fill_n(total, stride, 0.0);
  for_each_run(rows, stride,
               [=]<class Vec>(std::size_t first, std::size_t last, std::size_t c) MMO_INLINE_LAMBDA {
                 Vec g_p = {};
                 Vec w_p = {};
                 Vec p_p = {};
                 for (std::size_t at = first * stride + c; at < last * stride; at += stride) {
                   const Vec gradient = load_vector<Vec>(g + at);
                   Vec inner = gradient;
                   Vec outer = {};
                   for (std::size_t i = 0; i < pairs.size(); ++i) {
                     inner += load_vector<Vec>(a + i * stride + c) * load_half<Vec>(pairs[i].y + at);
                     outer += load_vector<Vec>(b + i * stride + c) * load_half<Vec>(pairs[i].s + at);
                   }
                   const Vec direction = -(load_vector<Vec>(h + at) * inner + outer);
                   store_vector(p + at, direction);
                   g_p += gradient * direction;
                   w_p += load_vector<Vec>(w + at) * direction;
                   p_p += direction * direction;
                 }
                 add_to(sums.g_p + c, g_p);
                 if (first + 1 == rows) return;  // the bias
                 add_to(sums.w_p + c, w_p);
                 add_to(sums.p_p + c, p_p);
               });
}

}  // namespace mmo
