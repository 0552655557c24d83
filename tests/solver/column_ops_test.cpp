#include "mmo/solver/column_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/core/simd.h"

namespace mmo {
namespace {

constexpr std::size_t rows = 131;  // two runs, a part of one, the bias

struct Block {
  std::vector<float> values;
  std::size_t stride;

  Block(std::size_t columns, std::uint64_t seed) : values(rows * columns), stride(columns) {
    Random random(seed);
    for (float& v : values) v = static_cast<float>(2 * random.uniform() - 1);
  }
  [[nodiscard]] double at(std::size_t k, std::size_t c) const { return values[k * stride + c]; }
};

// The same block as it is remembered, and what is left of its values then.
std::vector<Half> halves(Block& block) {
  std::vector<Half> out(block.values.size());
  for (std::size_t at = 0; at < out.size(); at += lanes) {
    store_half(out.data() + at, load8(block.values.data() + at));
    store8(block.values.data() + at, load_half<Vec8>(out.data() + at));
  }
  return out;
}

template <class Term>
double sum(std::size_t last, const Term& term) {
  double total = 0;
  for (std::size_t k = 0; k < last; ++k) total += term(k);
  return total;
}

constexpr double tolerance = 1e-4;  // sums of 131 products of numbers below 1, in floats over 64 rows

// Every stride splits differently into vectors of sixteen and eight.
class ColumnOps : public testing::TestWithParam<std::size_t> {};

TEST_P(ColumnOps, ProductsOfPairsAreThoseOfTheirColumns) {
  const std::size_t stride = GetParam();
  Block s(stride, 1), y(stride, 2), z(stride, 3);
  const Block g(stride, 4), h(stride, 5);
  const std::vector<Half> s_half = halves(s), y_half = halves(y), z_half = halves(z);
  std::vector<double> s_g(stride), y_hg(stride), s_z(stride), y_hz(stride);
  const std::vector<StepPair> pairs{{s_half.data(), y_half.data()}};
  const std::vector<PairProducts> out{{s_g.data(), y_hg.data(), s_z.data(), y_hz.data()}};
  pair_products(pairs, g.values.data(), h.values.data(), z_half.data(), rows, stride, out);
  for (std::size_t c = 0; c < stride; ++c) {
    EXPECT_NEAR(s_g[c], sum(rows, [&](std::size_t k) { return s.at(k, c) * g.at(k, c); }), tolerance);
    EXPECT_NEAR(y_hg[c], sum(rows, [&](std::size_t k) { return y.at(k, c) * h.at(k, c) * g.at(k, c); }),
                tolerance);
    EXPECT_NEAR(s_z[c], sum(rows, [&](std::size_t k) { return s.at(k, c) * z.at(k, c); }), tolerance);
    EXPECT_NEAR(y_hz[c], sum(rows, [&](std::size_t k) { return y.at(k, c) * h.at(k, c) * z.at(k, c); }),
                tolerance);
  }
}

TEST_P(ColumnOps, TheDirectionAndItsSumsLeaveTheBiasOutOfTheRidge) {
  const std::size_t stride = GetParam();
  Block s(stride, 1), y(stride, 2);
  const Block g(stride, 4), h(stride, 5), w(stride, 6);
  const std::vector<Half> s_half = halves(s), y_half = halves(y);
  const std::vector<float> a(stride, 0.7F), b(stride, -0.3F);
  Block p(stride, 7);
  std::vector<double> g_p(stride), w_p(stride), p_p(stride);
  const std::vector<StepPair> pairs{{s_half.data(), y_half.data()}};
  combine_direction(pairs, a.data(), b.data(), g.values.data(), h.values.data(), w.values.data(), rows,
                    stride, p.values.data(), {g_p.data(), w_p.data(), p_p.data()});
  for (std::size_t c = 0; c < stride; ++c) {
    for (std::size_t k = 0; k < rows; ++k)
      EXPECT_NEAR(p.at(k, c), -(h.at(k, c) * (g.at(k, c) + 0.7 * y.at(k, c)) - 0.3 * s.at(k, c)), 1e-6);
    EXPECT_NEAR(g_p[c], sum(rows, [&](std::size_t k) { return g.at(k, c) * p.at(k, c); }), tolerance);
    EXPECT_NEAR(w_p[c], sum(rows - 1, [&](std::size_t k) { return w.at(k, c) * p.at(k, c); }), tolerance);
    EXPECT_NEAR(p_p[c], sum(rows - 1, [&](std::size_t k) { return p.at(k, c) * p.at(k, c); }), tolerance);
  }
}

TEST_P(ColumnOps, AStepMovesTheWeightsAndIsRemembered) {
  const std::size_t stride = GetParam();
  const Block p(stride, 1), move(stride, 2), before(stride, 3);
  Block w = before;
  std::vector<float> step(stride);
  for (std::size_t c = 0; c < stride; ++c) step[c] = 0.1F * static_cast<float>(c);
  std::vector<Half> s(rows * stride);
  move_columns(step.data(), p.values.data(), move.values.data(), rows, stride, w.values.data(), s.data());
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t c = 0; c < stride; ++c)
      EXPECT_NEAR(w.at(k, c), before.at(k, c) + step[c] * move.at(k, c), 1e-6);
    for (std::size_t c = 0; c < stride; c += lanes) {
      const Vec8 remembered = load_half<Vec8>(s.data() + k * stride + c);
      for (std::size_t v = 0; v < lanes; ++v) {
        const double moved = step[c + v] * p.at(k, c + v);
        EXPECT_NEAR(remembered[v], moved, std::abs(moved) / 256);
      }
    }
  }
}

TEST_P(ColumnOps, RidgeAndDiagonalLeaveTheBiasAlone) {
  const std::size_t stride = GetParam();
  const Block w(stride, 1), before(stride, 2);
  Block g = before;
  Block d = before;
  for (float& v : d.values) v = std::abs(v) + 0.5F;
  const Block curvature = d;
  const std::vector<float> ridge(stride, 0.25F);
  std::vector<double> ww(stride);
  add_ridge(ridge.data(), w.values.data(), rows, stride, g.values.data(), ww.data());
  invert_diagonal(ridge.data(), rows, stride, d.values.data());
  for (std::size_t c = 0; c < stride; ++c) {
    EXPECT_NEAR(ww[c], sum(rows - 1, [&](std::size_t k) { return w.at(k, c) * w.at(k, c); }), tolerance);
    for (std::size_t k = 0; k < rows; ++k) {
      const double own = k + 1 < rows ? 0.25 : 0.0;
      EXPECT_NEAR(g.at(k, c), before.at(k, c) + own * w.at(k, c), 1e-6);
      EXPECT_NEAR(d.at(k, c), 1.0 / (curvature.at(k, c) + own), 1e-6);
    }
  }
}

TEST_P(ColumnOps, TheChangeOfTheGradientIsMultipliedAsItIsRemembered) {
  const std::size_t stride = GetParam();
  Block s(stride, 1);
  const std::vector<Half> s_half = halves(s);
  const Block g(stride, 2), before(stride, 3);
  std::vector<Half> y(rows * stride);
  std::vector<double> sy(stride);
  gradient_change(g.values.data(), before.values.data(), s_half.data(), rows, stride, y.data(), sy.data());
  Block change(stride, 4);
  for (std::size_t at = 0; at < y.size(); at += lanes)
    store8(change.values.data() + at, load_half<Vec8>(y.data() + at));
  for (std::size_t c = 0; c < stride; ++c) {
    for (std::size_t k = 0; k < rows; ++k) {
      const double exact = g.at(k, c) - before.at(k, c);
      EXPECT_NEAR(change.at(k, c), exact, std::abs(exact) / 256 + 1e-7);
    }
    EXPECT_NEAR(sy[c], sum(rows, [&](std::size_t k) { return s.at(k, c) * change.at(k, c); }), tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Strides, ColumnOps, testing::Values(8, 16, 24, 32));

}  // namespace
}  // namespace mmo
