#include "mmo/transform/rotation.h"

#include <gtest/gtest.h>

#include "mmo/core/random.h"

namespace mmo {
namespace {

DenseMatrix correlated(std::size_t rows) {
  Random random(5);
  DenseMatrix x(rows, 4);
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = random.normal();
    const double b = random.normal();
    x(i, 0) = static_cast<float>(a);
    x(i, 1) = static_cast<float>(a + 0.1 * b);
    x(i, 2) = static_cast<float>(3 * b);
    x(i, 3) = 0;  // no variance
  }
  return x;
}

TEST(Rotation, MakesTheGramMatrixDiagonalAndDropsEmptyDirections) {
  const DenseMatrix x = correlated(200);
  const Rotation rotation = principal_axes(x);
  const DenseMatrix z = rotation.apply(x);
  ASSERT_EQ(z.cols, 2U);
  double off = 0;
  double on = 0;
  for (std::size_t i = 0; i < z.rows; ++i) {
    off += static_cast<double>(z(i, 0)) * z(i, 1);
    on += static_cast<double>(z(i, 0)) * z(i, 0);
  }
  EXPECT_LT(std::abs(off), 1e-4 * on);
}

TEST(Rotation, UndoneWeightsGiveTheSameScores) {
  const DenseMatrix x = correlated(50);
  const Rotation rotation = principal_axes(x);
  const DenseMatrix z = rotation.apply(x);
  DenseMatrix w(z.cols + 1, 2);
  Random random(6);
  for (float& v : w.values) v = static_cast<float>(random.normal());
  const DenseMatrix back = rotation.undo(w);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t c = 0; c < 2; ++c) {
      double rotated = w(z.cols, c);
      double original = back(x.cols, c);
      for (std::size_t k = 0; k < z.cols; ++k) rotated += static_cast<double>(z(i, k)) * w(k, c);
      for (std::size_t k = 0; k < x.cols; ++k) original += static_cast<double>(x(i, k)) * back(k, c);
      EXPECT_NEAR(rotated, original, 1e-4);
    }
  }
}

}  // namespace
}  // namespace mmo
