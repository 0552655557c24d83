#include "mmo/core/product.h"

#include <gtest/gtest.h>

#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "support/matrices.h"

namespace mmo {
namespace {

DenseMatrix random_matrix(std::size_t rows, std::size_t cols, Random& random, double zeros = 0) {
  DenseMatrix out(rows, cols);
  for (float& v : out.values) v = random.uniform() < zeros ? 0.0F : static_cast<float>(random.normal());
  return out;
}

// Sizes around the panels of 256 × 8 or 16 and their tiles of 10 or 5 rows; sums of up to 600 terms of
// order 1.
TEST(AddProduct, DenseAndSparseFollowTheDefinition) {
  constexpr double tolerance = 1e-3;
  Random random(4);
  for (const std::size_t rows : {1U, 6U, 13U}) {
    for (const std::size_t inner : {1U, 256U, 600U}) {
      for (const std::size_t cols : {1U, 5U, 8U, 9U, 37U, 48U, 64U, 65U, 71U, 90U, 121U}) {
        const DenseMatrix x = random_matrix(rows, inner, random, 0.7);
        const DenseMatrix w = random_matrix(inner, cols, random);
        const CsrMatrix sparse = to_sparse(x);
        DenseMatrix expected(rows, cols, 1.0F);
        for (std::size_t i = 0; i < rows; ++i) {
          for (std::size_t k = 0; k < inner; ++k) {
            for (std::size_t j = 0; j < cols; ++j) expected(i, j) += x(i, k) * w(k, j);
          }
        }
        DenseMatrix from_dense(rows, cols, 1.0F);
        add_product(x.values.data(), rows, w, from_dense.values.data());
        DenseMatrix from_sparse(rows, cols, 1.0F);
        const std::size_t half = rows / 2;  // in two parts
        add_product(sparse, 0, half, w, from_sparse.values.data());
        add_product(sparse, half, rows, w, from_sparse.row(half).data());
        for (std::size_t e = 0; e < expected.values.size(); ++e) {
          ASSERT_NEAR(from_dense.values[e], expected.values[e], tolerance);
          ASSERT_NEAR(from_sparse.values[e], expected.values[e], tolerance);
        }
      }
    }
  }
}

TEST(AddProduct, RowsDoNotDependOnTheirNeighbours) {
  Random random(9);
  const DenseMatrix x = random_matrix(20, 300, random);
  const DenseMatrix w = random_matrix(300, 21, random);
  DenseMatrix together(20, 21);
  add_product(x.values.data(), 20, w, together.values.data());
  DenseMatrix alone(20, 21);
  for (std::size_t i = 0; i < 20; ++i) add_product(x.row(i).data(), 1, w, alone.row(i).data());
  EXPECT_EQ(alone.values, together.values);
}

TEST(Gram, SameBitsForAnyThreadCount) {
  Random random(6);
  const DenseMatrix x = random_matrix(400, 150, random);
  set_threads(1);
  const DenseMatrix one = gram(x);
  set_threads(5);
  EXPECT_EQ(gram(x).values, one.values);
  set_threads(0);
}

TEST(Gram, FollowsTheDefinitionAndIsSymmetric) {
  Random random(5);
  for (const std::size_t cols : {1U, 16U, 63U, 97U, 205U}) {                    // panels of 16, four together
    const DenseMatrix x = random_matrix(cols == 97U ? 300 : 50, cols, random);  // chunks of 128 rows
    const DenseMatrix found = gram(x);
    for (std::size_t a = 0; a < cols; ++a) {
      for (std::size_t b = 0; b < cols; ++b) {
        double expected = 0;
        for (std::size_t i = 0; i < x.rows; ++i) expected += double{x(i, a)} * x(i, b);
        ASSERT_NEAR(found(a, b), expected, 5e-4);  // float sums of up to 300
        ASSERT_EQ(found(a, b), found(b, a));
      }
    }
  }
}

}  // namespace
}  // namespace mmo
