// Attention with dropout against its definition by single operators, values and gradients.
#include "deep/net/attention.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mmo::deep {
namespace {

constexpr double dropout = 0.1;
constexpr std::int64_t rows = 3, heads = 2, width = 8;
// Sums of up to 67 float32 products in another order; gradients pass through two of them.
constexpr double value_tolerance = 1e-4, gradient_tolerance = 1e-4, near_zero = 1e-5;

struct Case {
  Tensor q, k, v, mask_NT;
};

Case make_case(std::int64_t tokens, std::int64_t value_width) {
  at::manual_seed(1);
  const auto random = [&](std::int64_t columns) {  // tokens before heads in memory, as the network has them
    return at::randn({rows, tokens, heads, columns}).mul_(2).transpose(1, 2).requires_grad_();
  };
  Case c{random(width), random(width), random(value_width), at::ones({rows, tokens}, at::kBool)};
  for (std::int64_t n = 0; n < rows; ++n) {  // row n has n tokens of padding, where there are so many
    const std::int64_t padding = std::min(n, tokens - 1);
    c.mask_NT[n].narrow(0, tokens - padding, padding).fill_(false);
  }
  return c;
}

Tensor weights(const Case& c) {
  const Tensor scores = at::matmul(c.q, c.k.transpose(2, 3)) / std::sqrt(static_cast<double>(width));
  return at::softmax(scores.masked_fill(c.mask_NT.logical_not().unsqueeze(1).unsqueeze(1),
                                        -std::numeric_limits<double>::infinity()),
                     -1);
}

// What is dropped depends on the generator alone: with v = I the weights that are kept come out.
Tensor kept(const Case& c) {
  const std::int64_t tokens = c.mask_NT.size(1);
  at::manual_seed(7);
  return attention(c.q, c.k, at::eye(tokens).expand({rows, heads, tokens, tokens}), c.mask_NT, dropout);
}

TEST(Attention, DroppedWeightsAreZeroAndTheOthersGrow) {
  const Case c = make_case(67, 67);
  const Tensor p = weights(c).detach();
  const Tensor out = kept(c).detach();
  const Tensor dropped = out == 0;
  EXPECT_TRUE(
      at::allclose(out, at::where(dropped, at::zeros({}), p / (1 - dropout)), value_tolerance, near_zero));
  const double share = (dropped & (p > 0)).sum().item<double>() / (p > 0).sum().item<double>();
  EXPECT_NEAR(share, dropout, 0.01);  // 26,000 draws: five standard deviations
  EXPECT_EQ(out[2].narrow(-1, 65, 2).abs().max().item<float>(), 0.0F);  // padding
}

TEST(Attention, GradientsAreThoseOfTheSingleOperators) {
  for (const std::int64_t tokens : {1, 5, 8, 67}) {
    SCOPED_TRACE(tokens);
    const Case c = make_case(tokens, width);
    const Tensor keep = (kept(c) != 0).to(at::kFloat).detach() / (1 - dropout);
    at::manual_seed(7);
    const Tensor ours = attention(c.q, c.k, c.v, c.mask_NT, dropout);
    const Tensor theirs = at::matmul(weights(c) * keep, c.v);
    EXPECT_TRUE(at::allclose(ours, theirs, value_tolerance, near_zero));
    const Tensor slopes = at::randn(ours.sizes());
    const auto gradients = [&](const Tensor& out) {
      std::vector<Tensor> found;
      for (const Tensor& x : {c.q, c.k, c.v}) x.mutable_grad().reset();
      out.backward(slopes);
      for (const Tensor& x : {c.q, c.k, c.v}) found.push_back(x.grad().clone());
      return found;
    };
    const auto a = gradients(ours);
    const auto b = gradients(theirs);
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_TRUE(at::allclose(a[i], b[i], gradient_tolerance, near_zero)) << i;
  }
}

TEST(Attention, DrawsAnewUnlessTheGeneratorIsSet) {
  const Case c = make_case(32, width);
  const auto seeded = [&] {
    at::manual_seed(3);
    return attention(c.q, c.k, c.v, c.mask_NT, dropout);
  };
  const Tensor first = seeded();
  const Tensor next = attention(c.q, c.k, c.v, c.mask_NT, dropout);
  EXPECT_TRUE(at::equal(first, seeded()));
  EXPECT_FALSE(at::equal(first, next));
}

TEST(Attention, ThreadsDrawAlike) {
  const Case c = make_case(300, width);  // 1,800 rows of weights: several tasks
  const int before = at::get_num_threads();
  const auto with_threads = [&](int threads) {
    at::set_num_threads(threads);
    at::manual_seed(3);
    return attention(c.q, c.k, c.v, c.mask_NT, dropout);
  };
  const Tensor one = with_threads(1);
  const Tensor four = with_threads(4);
  at::set_num_threads(before);
  EXPECT_TRUE(at::allclose(one, four, value_tolerance, near_zero));
}

TEST(Attention, WithoutDropoutIsTheWeightedMean) {
  const Case c = make_case(19, width);
  EXPECT_TRUE(at::allclose(attention(c.q, c.k, c.v, c.mask_NT, 0), at::matmul(weights(c), c.v),
                           value_tolerance, near_zero));
}

}  // namespace
}  // namespace mmo::deep
