#include "mmo/learn/kernel/inverse.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mmo/core/parallel.h"
#include "mmo/core/product.h"
#include "mmo/core/random.h"
#include "mmo/learn/kernel/multiply.h"

namespace mmo {
namespace {

DenseMatrix positive_definite(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  DenseMatrix x(2 * n, n);
  for (float& value : x.values)
    value = static_cast<float>(random.normal() / std::sqrt(2.0 * static_cast<double>(n)));
  DenseMatrix out = gram(x);
  for (std::size_t i = 0; i < n; ++i) out(i, i) += 0.1F;
  return out;
}

// Sizes around the block of pivots.
TEST(Inverse, TimesTheMatrixIsTheIdentity) {
  for (const std::size_t n : {1U, 2U, 63U, 64U, 65U, 200U}) {
    const DenseMatrix a = positive_definite(n, n);
    DenseMatrix inverse = a;
    invert_positive(inverse);
    const DenseMatrix product = multiply(a, inverse);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) ASSERT_NEAR(product(i, j), i == j ? 1 : 0, 1e-4) << n;
    }
  }
}

// Repeated rows leave nothing but the ridge between most eigenvalues and 0.
TEST(Inverse, HoldsWhereRowsRepeat) {
  constexpr std::size_t n = 150;
  constexpr std::size_t distinct = 10;
  DenseMatrix a(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const auto apart = static_cast<float>(i % distinct) - static_cast<float>(j % distinct);
      a(i, j) = std::exp(-std::abs(apart)) + (i == j ? 0.011F : 0.0F);
    }
  }
  DenseMatrix inverse = a;
  invert_positive(inverse);
  Random random(5);
  DenseMatrix target(n, 1);
  for (float& value : target.values) value = random.uniform() < 0.5 ? -1.0F : 1.0F;
  const DenseMatrix again = multiply(a, multiply(inverse, target));
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(again(i, 0), target(i, 0), 0.02);
}

TEST(Inverse, IsTheSameForAnyNumberOfThreads) {
  DenseMatrix one = positive_definite(150, 1);
  DenseMatrix three = one;
  set_threads(1);
  invert_positive(one);
  set_threads(3);
  invert_positive(three);
  set_threads(0);
  for (std::size_t e = 0; e < one.values.size(); ++e) ASSERT_EQ(one.values[e], three.values[e]);
}

}  // namespace
}  // namespace mmo
