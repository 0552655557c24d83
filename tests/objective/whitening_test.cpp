#include "mmo/objective/whitening.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mmo/core/random.h"

namespace mmo {
namespace {

constexpr double curvature = 0.2, ridge = 0.5;

// Correlated features with means far from 0.
DenseMatrix correlated(std::size_t rows, std::size_t cols, Random& random) {
  DenseMatrix x(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    const double shared = random.normal();
    for (std::size_t k = 0; k < cols; ++k) x(i, k) = static_cast<float>(3 + shared + 0.5 * random.normal());
  }
  return x;
}

std::vector<float> random_block(std::size_t size, Random& random) {
  std::vector<float> out(size);
  for (float& v : out) v = static_cast<float>(random.normal());
  return out;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t e = 0; e < a.size(); ++e) sum += double{a[e]} * b[e];
  return sum;
}

// Sizes around the tiles of 6 rows.
class WhiteningSizes : public testing::TestWithParam<std::size_t> {};

// ρ·‖w‖² + c·Σ_i (x_i·w + b)² of w, b = to_direction(u) is ρ·‖u‖² + c·n·bias² in the variables: the centred
// features are uncorrelated with the constant.
TEST_P(WhiteningSizes, MakesTheHessianAMultipleOfTheIdentity) {
  const std::size_t d = GetParam();
  Random random(3);
  const DenseMatrix x = correlated(4 * d + 5, d, random);
  const Whitening whitening(*feature_moments(x, {}), curvature, ridge);
  constexpr std::size_t stride = 24;
  const std::vector<float> variables = random_block((d + 1) * stride, random);
  std::vector<float> weights = variables;
  whitening.to_direction(weights.data(), stride);
  for (std::size_t c = 0; c < stride; ++c) {
    double found = 0;
    double expected = 0;
    for (std::size_t k = 0; k < d; ++k) {
      found += ridge * double{weights[k * stride + c]} * weights[k * stride + c];
      expected += ridge * double{variables[k * stride + c]} * variables[k * stride + c];
    }
    for (std::size_t i = 0; i < x.rows; ++i) {
      double z = weights[d * stride + c];
      for (std::size_t k = 0; k < d; ++k) z += double{x(i, k)} * weights[k * stride + c];
      found += curvature * z * z;
    }
    const double bias = variables[d * stride + c];
    expected += curvature * static_cast<double>(x.rows) * bias * bias;
    EXPECT_NEAR(found / expected, 1, 2e-3);  // rounding is kept out of the small axes
  }
}

// gᵀ·to_direction(u) = to_gradient(g)ᵀ·u: the slope along a direction is the same in both.
TEST_P(WhiteningSizes, GradientsAreTransposedDirections) {
  const std::size_t d = GetParam();
  Random random(4);
  const Whitening whitening(*feature_moments(correlated(2 * d + 5, d, random), {}), curvature, ridge);
  constexpr std::size_t stride = 8;
  const std::vector<float> gradient = random_block((d + 1) * stride, random);
  const std::vector<float> variables = random_block((d + 1) * stride, random);
  std::vector<float> by_variables = gradient;
  whitening.to_gradient(by_variables.data(), stride);
  std::vector<float> weights = variables;
  whitening.to_direction(weights.data(), stride);
  EXPECT_NEAR(dot(gradient, weights), dot(by_variables, variables),
              1e-3 * std::sqrt(dot(gradient, gradient)));
}

INSTANTIATE_TEST_SUITE_P(Sizes, WhiteningSizes, testing::Values(1, 5, 6, 16, 17, 40, 101));

TEST(Whitening, ConstantAndRepeatedFeaturesDoNotHarm) {
  Random random(5);
  DenseMatrix x = correlated(60, 9, random);
  for (std::size_t i = 0; i < x.rows; ++i) {
    x(i, 3) = 1e4F;
    x(i, 7) = x(i, 2);
  }
  const Whitening whitening(*feature_moments(x, {}), curvature, 1e-4);
  std::vector<float> block = random_block(10 * 8, random);
  whitening.to_gradient(block.data(), 8);
  whitening.to_direction(block.data(), 8);
  for (const float v : block) EXPECT_TRUE(std::isfinite(v));
}

TEST(Whitening, LeavesVariablesAloneWhereNoFactorIsFinite) {
  Random random(7);
  DenseMatrix x = correlated(20, 3, random);
  for (float& v : x.values) v *= 1e17F;
  const Whitening whitening(*feature_moments(x, {}), 1, 1e-6);
  std::vector<float> block = random_block(4 * 8, random);
  std::fill(block.begin() + 3 * 8, block.end(), 0.0F);  // no bias: the means would move it
  const std::vector<float> before = block;
  whitening.to_gradient(block.data(), 8);
  EXPECT_EQ(block, before);
}

TEST(Whitening, IsRefusedWhereSquaresOverflow) {
  Random random(6);
  DenseMatrix x = correlated(20, 3, random);
  x(4, 1) = 1e25F;
  EXPECT_FALSE(feature_moments(x, {}));
}

}  // namespace
}  // namespace mmo
