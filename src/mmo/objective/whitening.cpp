#include "mmo/objective/whitening.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mmo/core/parallel.h"
#include "mmo/core/product.h"
#include "mmo/core/simd.h"

namespace mmo {
namespace {

// Of sums over the rows or the features. Where features repeat each other nothing else would be left of them.
constexpr double rounding = 1e-5;
constexpr std::size_t together = 6;  // rows solved at a time: their sums stay in registers

// x[k] −= Σ_j factor(k, j)·x[j] for `R` rows k from `first` and j in [begin, end), 8V columns.
template <std::size_t R, std::size_t V, class Factor>
MMO_INLINE void subtract_rows(float* x, std::size_t stride, std::size_t first, std::size_t begin,
                              std::size_t end, const Factor& factor) {
  Vec8 sum[R][V];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < V; ++v) sum[r][v] = load8(x + (first + r) * stride + v * lanes);
  }
  for (std::size_t j = begin; j < end; ++j) {
    Vec8 row[V];
    for (std::size_t v = 0; v < V; ++v) row[v] = load8(x + j * stride + v * lanes);
    for (std::size_t r = 0; r < R; ++r) {
      for (std::size_t v = 0; v < V; ++v) sum[r][v] -= factor(first + r, j) * row[v];
    }
  }
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < V; ++v) store8(x + (first + r) * stride + v * lanes, sum[r][v]);
  }
}

template <std::size_t V>
MMO_INLINE void scale_row(float* x, float factor) {
  for (std::size_t v = 0; v < V; ++v) store8(x + v * lanes, factor * load8(x + v * lanes));
}

// X ← L⁻¹·X for the first `rows` rows and 8V columns.
template <std::size_t V>
MMO_INLINE void solve_lower(const DenseMatrix& lower, std::size_t rows, float* x, std::size_t stride) {
  const float* l = lower.values.data();
  const auto factor = [l, d = lower.cols](std::size_t k, std::size_t j)
                          MMO_INLINE_LAMBDA { return l[k * d + j]; };
  std::size_t first = 0;
  for (; first + together <= rows; first += together) {
    subtract_rows<together, V>(x, stride, first, 0, first, factor);
    for (std::size_t k = first; k < first + together; ++k) {
      subtract_rows<1, V>(x, stride, k, first, k, factor);
      scale_row<V>(x + k * stride, factor(k, k));
    }
  }
  for (std::size_t k = first; k < rows; ++k) {
    subtract_rows<1, V>(x, stride, k, 0, k, factor);
    scale_row<V>(x + k * stride, factor(k, k));
  }
}

// X ← L⁻ᵀ·X for all rows and 8V columns, last row first.
template <std::size_t V>
MMO_INLINE void solve_upper(const DenseMatrix& lower, float* x, std::size_t stride) {
  const float* l = lower.values.data();
  const std::size_t d = lower.cols;
  const auto factor = [l, d](std::size_t k, std::size_t j) MMO_INLINE_LAMBDA { return l[j * d + k]; };
  std::size_t last = d;
  for (; last >= together; last -= together) {
    subtract_rows<together, V>(x, stride, last - together, last, d, factor);
    for (std::size_t k = last; k-- > last - together;) {
      subtract_rows<1, V>(x, stride, k, k + 1, last, factor);
      scale_row<V>(x + k * stride, factor(k, k));
    }
  }
  for (std::size_t k = last; k-- > 0;) {
    subtract_rows<1, V>(x, stride, k, k + 1, d, factor);
    scale_row<V>(x + k * stride, factor(k, k));
  }
}

MMO_SIMD void solve_lower(const DenseMatrix& lower, std::size_t rows, float* x, std::size_t stride) {
  std::size_t c = 0;
  for (; c + 2 * lanes <= stride; c += 2 * lanes) solve_lower<2>(lower, rows, x + c, stride);
  for (; c < stride; c += lanes) solve_lower<1>(lower, rows, x + c, stride);
}

MMO_SIMD void solve_upper(const DenseMatrix& lower, float* x, std::size_t stride) {
  std::size_t c = 0;
  for (; c + 2 * lanes <= stride; c += 2 * lanes) solve_upper<2>(lower, x + c, stride);
  for (; c < stride; c += lanes) solve_upper<1>(lower, x + c, stride);
}

// A = L·Lᵀ in place, 16 rows at a time: those of the rows above follow by solving with what is known of L,
//   L[new, old] = (L[old, old]⁻¹·A[old, new])ᵀ,
// those of the new ones among themselves from what is then left. The diagonal holds its inverse.
void factorise(DenseMatrix& a) {
  constexpr std::size_t width = 2 * lanes;
  std::vector<float> panel(a.rows * width);
  for (std::size_t first = 0; first < a.rows; first += width) {
    throw_if_cancelled();
    const std::size_t count = std::min(width, a.rows - first);
    for (std::size_t k = 0; k < first; ++k) {
      for (std::size_t c = 0; c < count; ++c) panel[k * width + c] = a(first + c, k);
    }
    solve_lower(a, first, panel.data(), width);
    std::array<std::array<float, width>, width> left{};
    for (std::size_t k = 0; k < first; ++k) {
      const float* row = panel.data() + k * width;
      for (std::size_t i = 0; i < width; ++i) {
        for (std::size_t j = 0; j < width; ++j) left[i][j] += row[i] * row[j];
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < first; ++k) a(first + i, k) = panel[k * width + i];
      for (std::size_t j = 0; j <= i; ++j) {
        const double own = a(first + i, first + j);
        double rest = own - left[i][j];
        for (std::size_t k = 0; k < j; ++k) rest -= double{a(first + i, first + k)} * a(first + j, first + k);
        // What is left of the diagonal is at least what was added to it: less is rounding.
        a(first + i, first + j) =
            static_cast<float>(i == j ? 1 / std::sqrt(std::max(1 + rounding * (own - 1), rest))
                                      : rest * a(first + j, first + j));
      }
    }
  }
}

}  // namespace

std::optional<FeatureMoments> feature_moments(const DenseMatrix& x, std::span<const float> row_weights) {
  const auto weight = [&](std::size_t i) { return row_weights.empty() ? 1.0F : row_weights[i]; };
  std::vector<double> sums(x.cols);
  double total = 1e-12;
  for (std::size_t i = 0; i < x.rows; ++i) {
    const float* row = x.row(i).data();
    for (std::size_t k = 0; k < x.cols; ++k) sums[k] += double{weight(i)} * row[k];
    total += double{weight(i)};
  }
  FeatureMoments out;
  for (const double sum : sums) out.means.push_back(static_cast<float>(sum / total));
  DenseMatrix centred = x;
  for (std::size_t i = 0; i < x.rows; ++i) {
    float* row = centred.row(i).data();
    const float root = std::sqrt(weight(i));
    for (std::size_t k = 0; k < x.cols; ++k) row[k] = root * (row[k] - out.means[k]);
  }
  out.scatter = gram(centred);
  for (std::size_t k = 0; k < x.cols; ++k) {
    if (!std::isfinite(out.scatter(k, k))) return std::nullopt;
  }
  return out;
}

Whitening::Whitening(const FeatureMoments& moments, double curvature, double ridge)
    : curvature_(curvature), ridge_(ridge), means_(moments.means), lower_(moments.scatter) {
  const auto ratio = static_cast<float>(curvature / ridge);
  for (float& value : lower_.values) value *= ratio;
  for (std::size_t k = 0; k < lower_.rows; ++k)
    lower_(k, k) += 1.0F + static_cast<float>(rounding) * lower_(k, k);
  factorise(lower_);
}

void Whitening::to_gradient(float* g, std::size_t stride) const {
  const float* bias = g + means_.size() * stride;
  for (std::size_t k = 0; k < means_.size(); ++k) {
    for (std::size_t c = 0; c < stride; ++c) g[k * stride + c] -= means_[k] * bias[c];
  }
  solve_lower(lower_, lower_.rows, g, stride);
}

void Whitening::to_direction(float* p, std::size_t stride) const {
  solve_upper(lower_, p, stride);
  float* bias = p + means_.size() * stride;
  for (std::size_t k = 0; k < means_.size(); ++k) {
    for (std::size_t c = 0; c < stride; ++c) bias[c] -= means_[k] * p[k * stride + c];
  }
}

}  // namespace mmo
