#include "mmo/objective/whitening.h"

#include <Eigen/Dense>
#include <cmath>

#include "mmo/core/product.h"
#include "mmo/core/simd.h"

namespace mmo {
namespace {

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

// X ← L⁻¹·X for 8V columns.
template <std::size_t V>
MMO_INLINE void solve_lower(const DenseMatrix& lower, float* x, std::size_t stride) {
  const float* l = lower.values.data();
  const auto factor = [l, d = lower.cols](std::size_t k, std::size_t j)
                          MMO_INLINE_LAMBDA { return l[k * d + j]; };
  std::size_t first = 0;
  for (; first + together <= lower.rows; first += together) {
    subtract_rows<together, V>(x, stride, first, 0, first, factor);
    for (std::size_t k = first; k < first + together; ++k) {
      subtract_rows<1, V>(x, stride, k, first, k, factor);
      scale_row<V>(x + k * stride, factor(k, k));
    }
  }
  for (std::size_t k = first; k < lower.rows; ++k) {
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

MMO_SIMD void solve_lower(const DenseMatrix& lower, float* x, std::size_t stride) {
  std::size_t c = 0;
  for (; c + 2 * lanes <= stride; c += 2 * lanes) solve_lower<2>(lower, x + c, stride);
  for (; c < stride; c += lanes) solve_lower<1>(lower, x + c, stride);
}

MMO_SIMD void solve_upper(const DenseMatrix& lower, float* x, std::size_t stride) {
  std::size_t c = 0;
  for (; c + 2 * lanes <= stride; c += 2 * lanes) solve_upper<2>(lower, x + c, stride);
  for (; c < stride; c += lanes) solve_upper<1>(lower, x + c, stride);
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
    : curvature_(curvature),
      ridge_(ridge),
      means_(moments.means),
      lower_(moments.scatter.rows, moments.scatter.cols) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto d = static_cast<Eigen::Index>(lower_.rows);
  const Eigen::Map<const RowMajor> scatter(moments.scatter.values.data(), d, d);
  Eigen::Map<RowMajor> lower(lower_.values.data(), d, d);
  const auto ratio = static_cast<float>(curvature / ridge);
  // Where features duplicate each other only rounding is left of them: raise each diagonal entry by more than
  // that.
  for (float rounding = 1e-5F;; rounding *= 10) {
    lower = ratio * scatter;
    lower.diagonal().array() += 1.0F + rounding * lower.diagonal().array();
    if (!lower.diagonal().allFinite()) {  // no change of variables
      lower.setIdentity();
      break;
    }
    const Eigen::LLT<Eigen::Ref<RowMajor>> factor(lower);  // in place
    if (factor.info() == Eigen::Success) break;
  }
  lower.diagonal().array() = lower.diagonal().array().inverse();
}

void Whitening::to_gradient(float* g, std::size_t stride) const {
  const float* bias = g + means_.size() * stride;
  for (std::size_t k = 0; k < means_.size(); ++k) {
    for (std::size_t c = 0; c < stride; ++c) g[k * stride + c] -= means_[k] * bias[c];
  }
  solve_lower(lower_, g, stride);
}

void Whitening::to_direction(float* p, std::size_t stride) const {
  solve_upper(lower_, p, stride);
  float* bias = p + means_.size() * stride;
  for (std::size_t k = 0; k < means_.size(); ++k) {
    for (std::size_t c = 0; c < stride; ++c) bias[c] -= means_[k] * p[k * stride + c];
  }
}

}  // namespace mmo
