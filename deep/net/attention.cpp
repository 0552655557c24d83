#include "deep/net/attention.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mmo/core/fast_exp.h"

#ifndef INTRA_OP_PARALLEL
#error "without OpenMP at::parallel_for is a plain loop"
#endif

namespace mmo::deep {
namespace {

// torch's own kernel has no dropout on the CPU, and composing it from single operators moves the T × T
// weights through memory a dozen times. Here mask, softmax and dropout take one pass, and so does their
// gradient.

// Σ_t one(t), eight terms at a time by eight(t).
template <class Eight, class One>
MMO_INLINE float sum(std::size_t count, const Eight& eight, const One& one) {
  Vec8 sums = {};
  std::size_t t = 0;
  for (; t + lanes <= count; t += lanes) sums += eight(t);
  float total = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) total += sums[lane];
  for (; t < count; ++t) total += one(t);
  return total;
}

MMO_INLINE float largest_of(const float* x, std::size_t count) {
  float largest = -std::numeric_limits<float>::infinity();
  std::size_t t = 0;
  if (count >= lanes) {
    Vec8 most = load8(x);
    for (t = lanes; t + lanes <= count; t += lanes) {
      const Vec8 next = load8(x + t);
      most = next > most ? next : most;
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) largest = std::max(largest, most[lane]);
  }
  for (; t < count; ++t) largest = std::max(largest, x[t]);
  return largest;
}

// 32 bits that look random, from a number and a seed (xxHash's mixing steps).
MMO_INLINE std::uint32_t random_bits(std::uint32_t number, std::uint32_t seed) {
  std::uint32_t h = number * 0x9e3779b1U + seed;
  h = (h ^ (h >> 15U)) * 0x85ebca77U;
  h = (h ^ (h >> 13U)) * 0xc2b2ae3dU;
  return h ^ (h >> 16U);
}

// Turns one row of scores into attention weights p = softmax(scale·s + bias), negated where dropped: the
// gradient needs both again.
MMO_SIMD void weigh_row(float* s, const float* bias, std::size_t tokens, float scale,
                        std::uint32_t dropped_below, std::uint32_t seed) {
  for (std::size_t t = 0; t < tokens; ++t) s[t] = s[t] * scale + bias[t];
  const float largest = largest_of(s, tokens);
  for (std::size_t t = 0; t < tokens; ++t) s[t] = fast_exp(s[t] - largest);
  const float share = 1.0F / sum(
                                 tokens, [s](std::size_t t) MMO_INLINE_LAMBDA { return load8(s + t); },
                                 [s](std::size_t t) MMO_INLINE_LAMBDA { return s[t]; });
  for (std::size_t t = 0; t < tokens; ++t) {
    const float p = s[t] * share;
    s[t] = simd::select(random_bits(static_cast<std::uint32_t>(t), seed) < dropped_below, -p, p);
  }
}

// Turns the gradient by the kept weights into that by the scores: scale·p·(g − Σ g·p), g = 0 where
// dropped.
MMO_SIMD void weigh_row_backward(float* g, const float* signed_p, std::size_t tokens, float scale) {
  for (std::size_t t = 0; t < tokens; ++t) g[t] = simd::select(std::signbit(signed_p[t]), 0.0F, g[t]);
  const float mean = sum(
      tokens, [=](std::size_t t) MMO_INLINE_LAMBDA { return load8(g + t) * load8(signed_p + t); },
      [=](std::size_t t) MMO_INLINE_LAMBDA { return g[t] * signed_p[t]; });
  for (std::size_t t = 0; t < tokens; ++t) g[t] = scale * std::abs(signed_p[t]) * (g[t] - mean);
}

// body(row) for all rows of a (N·H) × T × T block, on several threads.
template <class Body>
void for_each_row(const Tensor& x_BTT, const Body& body) {
  at::parallel_for(0, x_BTT.size(0) * x_BTT.size(1), 512, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) body(static_cast<std::size_t>(row));
  });
}

struct DroppedAttention : torch::autograd::Function<DroppedAttention> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& q_BTd, const Tensor& k_BTd,
                        const Tensor& v_BTd, const Tensor& bias_NT, double dropout) {
    const double scale = 1 / std::sqrt(static_cast<double>(q_BTd.size(2)));
    const Tensor signed_BTT = at::bmm(q_BTd, k_BTd.transpose(1, 2));
    const auto tokens = static_cast<std::size_t>(q_BTd.size(1));
    const auto rows_per_text = static_cast<std::size_t>(q_BTd.size(0) / bias_NT.size(0)) * tokens;
    const auto dropped_below = static_cast<std::uint32_t>(dropout * 4294967296.0);
    const auto seed = static_cast<std::uint32_t>(
        at::randint(std::numeric_limits<std::int32_t>::max(), {1}, at::kLong).item<std::int64_t>());
    auto* weights = signed_BTT.data_ptr<float>();
    const auto* bias = bias_NT.const_data_ptr<float>();
    for_each_row(signed_BTT, [&](std::size_t row) {
      weigh_row(weights + row * tokens, bias + row / rows_per_text * tokens, tokens,
                static_cast<float>(scale), dropped_below, random_bits(static_cast<std::uint32_t>(row), seed));
    });
    context->save_for_backward({q_BTd, k_BTd, v_BTd, signed_BTT});
    context->saved_data["scale"] = scale;
    const double growth = 1 / (1 - dropout);
    context->saved_data["growth"] = growth;
    return at::bmm(at::relu(signed_BTT), v_BTd).mul_(growth);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    TORCH_CHECK(!at::GradMode::is_enabled(), "attention with dropout has no second derivative");
    const auto saved = context->get_saved_variables();
    const Tensor &q_BTd = saved[0], &k_BTd = saved[1], &v_BTd = saved[2], &signed_BTT = saved[3];
    const Tensor out_BTd = gradients[0] * context->saved_data["growth"].toDouble();
    const Tensor by_v_BTd = at::bmm(at::relu(signed_BTT).transpose(1, 2), out_BTd);
    const Tensor by_scores_BTT = at::bmm(out_BTd, v_BTd.transpose(1, 2));
    const auto tokens = static_cast<std::size_t>(q_BTd.size(1));
    const auto scale = static_cast<float>(context->saved_data["scale"].toDouble());
    auto* slopes = by_scores_BTT.data_ptr<float>();
    const auto* weights = signed_BTT.const_data_ptr<float>();
    for_each_row(by_scores_BTT, [&](std::size_t row) {
      weigh_row_backward(slopes + row * tokens, weights + row * tokens, tokens, scale);
    });
    return {at::bmm(by_scores_BTT, k_BTd), at::bmm(by_scores_BTT.transpose(1, 2), q_BTd), by_v_BTd, {}, {}};
  }
};

}  // namespace

Tensor attention(const Tensor& q_NHTd, const Tensor& k_NHTd, const Tensor& v_NHTd, const Tensor& mask_NT,
                 double dropout) {
  if (dropout <= 0)
    return at::scaled_dot_product_attention(q_NHTd, k_NHTd, v_NHTd, mask_NT.unsqueeze(1).unsqueeze(1));
  const auto by_head = [](const Tensor& x_NHTd) { return x_NHTd.contiguous().flatten(0, 1); };
  const Tensor bias_NT = at::zeros(mask_NT.sizes(), at::kFloat)
                             .masked_fill_(mask_NT.logical_not(), -std::numeric_limits<float>::infinity());
  return DroppedAttention::apply(by_head(q_NHTd), by_head(k_NHTd), by_head(v_NHTd), bias_NT, dropout)
      .view(v_NHTd.sizes());
}

}  // namespace mmo::deep
