#include "mmo/transform/principal_axes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mmo/core/product.h"
#include "mmo/core/random.h"

namespace mmo {
namespace {

TEST(PrincipalAxes, MakeTheGramMatrixDiagonalAndLeaveOutEmptyDirections) {
  Random random(5);
  DenseMatrix x(200, 4);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const double a = random.normal();
    const double b = random.normal();
    x(i, 0) = static_cast<float>(a);
    x(i, 1) = static_cast<float>(a + 0.1 * b);
    x(i, 2) = static_cast<float>(3 * b);
    x(i, 3) = 0;  // no variance
  }
  const DenseMatrix axes = principal_axes(x, 4);
  ASSERT_EQ(axes.cols, 2U);
  DenseMatrix z(x.rows, axes.cols);
  add_product(x, 0, x.rows, axes, z.values.data());
  const DenseMatrix moments = gram(z);
  EXPECT_GT(moments(0, 0), moments(1, 1));
  EXPECT_LT(std::abs(moments(0, 1)), 1e-4 * moments(1, 1));
  EXPECT_NEAR(moments(0, 0) + moments(1, 1), gram(x)(0, 0) + gram(x)(1, 1) + gram(x)(2, 2), 1e-2);

  const DenseMatrix first = principal_axes(x, 1);
  ASSERT_EQ(first.cols, 1U);
  for (std::size_t k = 0; k < x.cols; ++k) EXPECT_EQ(first(k, 0), axes(k, 0));
}

}  // namespace
}  // namespace mmo
