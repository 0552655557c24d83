#include "mmo/objective/products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/objective/banded_transpose.h"
#include "mmo/objective/row_sums.h"
#include "support/matrices.h"

namespace mmo {
namespace {

// Float sums of up to a few hundred terms of order 1, and of thousands.
constexpr double rounding = 2e-4;
constexpr double rounding_of_many = 2e-3;

DenseMatrix random_dense(std::size_t rows, std::size_t cols, std::uint64_t seed, double zero_share = 0) {
  Random random(seed);
  DenseMatrix m(rows, cols);
  for (float& v : m.values) v = random.uniform() < zero_share ? 0.0F : static_cast<float>(random.normal());
  return m;
}

// Shapes on both sides of the row block and of the register tiles.
struct Shape {
  std::size_t n, d, stride;
};
const std::vector<Shape> shapes{{1, 1, 8}, {5, 7, 8}, {130, 13, 16}, {257, 31, 24}, {300, 6, 40}};

TEST(Products, ForwardEqualsTheSum) {
  for (const auto& [n, d, stride] : shapes) {
    const DenseMatrix x = random_dense(n, d, 1, 0.5);
    const DenseMatrix w = random_dense(d + 1, stride, 2);
    std::vector<float> dense(n * stride);
    std::vector<float> sparse(n * stride);
    forward(x, w.values.data(), stride, dense.data());
    forward(to_sparse(x), w.values.data(), stride, sparse.data());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < stride; ++c) {
        double sum = w(d, c);
        for (std::size_t k = 0; k < d; ++k) sum += static_cast<double>(x(i, k)) * w(k, c);
        EXPECT_NEAR(dense[i * stride + c], sum, rounding);
        EXPECT_NEAR(sparse[i * stride + c], sum, rounding);
      }
    }
  }
}

TEST(Products, ForwardOfSomeRows) {
  const DenseMatrix x = random_dense(50, 13, 1, 0.5);
  for (const std::size_t stride : {8U, 24U, 32U}) {
    const DenseMatrix w = random_dense(x.cols + 1, stride, 2);
    std::vector<float> all(x.rows * stride);
    forward(to_sparse(x), w.values.data(), stride, all.data());
    const std::vector<std::uint32_t> rows{3, 4, 49, 0};
    std::vector<float> some(rows.size() * stride);
    forward(to_sparse(x), rows, w.values.data(), stride, some.data());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      for (std::size_t c = 0; c < stride; ++c) EXPECT_EQ(some[k * stride + c], all[rows[k] * stride + c]);
    }
  }
}

// More rows than two bands, features that are missing from a band, every number of column groups.
TEST(BandedTranspose, EqualsTheProductByRows) {
  for (const std::size_t stride : {8, 16, 24, 32, 40}) {
    DenseMatrix x = random_dense(4500, 9, 5, 0.6);
    for (std::size_t i = 0; i < 3000; ++i) x(i, 4) = 0.0F;
    DenseMatrix squares = x;
    for (float& v : squares.values) v *= v;
    const DenseMatrix r = random_dense(x.rows, stride, 6);
    const BandedTranspose transposed(to_sparse(x));
    std::vector<float> expected((x.cols + 1) * stride);
    std::vector<float> found(expected.size(), 7.0F);
    backward(to_sparse(x), r.values.data(), stride, expected.data());
    transposed.backward(r.values.data(), stride, found.data());
    for (std::size_t e = 0; e < found.size(); ++e) EXPECT_NEAR(found[e], expected[e], rounding_of_many);
    backward(to_sparse(squares), r.values.data(), stride, expected.data());
    transposed.backward_squared(r.values.data(), stride, found.data());
    for (std::size_t e = 0; e < found.size(); ++e) EXPECT_NEAR(found[e], expected[e], rounding_of_many);
  }
}

TEST(Products, BackwardEqualsTheSum) {
  for (const auto& [n, d, stride] : shapes) {
    const DenseMatrix x = random_dense(n, d, 3, 0.5);
    const DenseMatrix r = random_dense(n, stride, 4);
    std::vector<float> dense((d + 1) * stride, 7.0F);  // must be overwritten
    std::vector<float> sparse((d + 1) * stride, 7.0F);
    backward(x, r.values.data(), stride, dense.data());
    backward(to_sparse(x), r.values.data(), stride, sparse.data());
    for (std::size_t k = 0; k <= d; ++k) {
      for (std::size_t c = 0; c < stride; ++c) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += (k < d ? static_cast<double>(x(i, k)) : 1.0) * r(i, c);
        EXPECT_NEAR(dense[k * stride + c], sum, rounding);
        EXPECT_NEAR(sparse[k * stride + c], sum, rounding);
      }
    }
  }
}

// The first eight columns of a product are what the last eight of a wider one are, in reverse.
template <class Product>
void expect_own_column(std::size_t rows_in, std::size_t rows_out, const Product& product) {
  for (const std::size_t stride : {16, 24, 32, 40}) {
    const DenseMatrix in = random_dense(rows_in, stride, 6);
    std::vector<float> wide(rows_out * stride);
    product(in.values.data(), stride, wide.data());
    std::vector<float> turned(rows_in * 8);
    for (std::size_t k = 0; k < rows_in; ++k) {
      for (std::size_t c = 0; c < 8; ++c) turned[k * 8 + c] = in(k, stride - 1 - c);
    }
    std::vector<float> narrow(rows_out * 8);
    product(turned.data(), 8, narrow.data());
    for (std::size_t i = 0; i < rows_out; ++i) {
      for (std::size_t c = 0; c < 8; ++c) EXPECT_EQ(narrow[i * 8 + c], wide[i * stride + stride - 1 - c]);
    }
  }
}

TEST(Products, AColumnDoesNotDependOnItsPlace) {
  const DenseMatrix x = random_dense(141, 21, 5, 0.5);
  const CsrMatrix sparse = to_sparse(x);
  const BandedTranspose transposed(sparse);
  expect_own_column(22, 141, [&](const float* w, std::size_t stride, float* z) { forward(x, w, stride, z); });
  expect_own_column(22, 141,
                    [&](const float* w, std::size_t stride, float* z) { forward(sparse, w, stride, z); });
  expect_own_column(141, 22,
                    [&](const float* r, std::size_t stride, float* g) { backward(x, r, stride, g); });
  expect_own_column(141, 22,
                    [&](const float* r, std::size_t stride, float* g) { transposed.backward(r, stride, g); });
}

// The narrow vectors too, which a machine with wide ones takes for few strides only.
TEST(RowSums, EveryCountOfVectors) {
  const DenseMatrix rows = random_dense(50, 32, 8);
  const std::vector<std::uint16_t> index{7, 3, 49, 3, 0, 21, 30};
  const DenseMatrix value = random_dense(1, index.size(), 9);
  const auto check = [&]<std::size_t V>(std::size_t count) {
    std::vector<float> out(V * 8, 1.0F);
    sum_rows<Vec8, V>(
        count, index.data(), [&](std::size_t e) { return value(0, e); }, rows.values.data(), rows.cols,
        out.data(), out.data());
    for (std::size_t c = 0; c < out.size(); ++c) {
      double sum = 1;
      for (std::size_t e = 0; e < count; ++e) sum += static_cast<double>(value(0, e)) * rows(index[e], c);
      EXPECT_NEAR(out[c], sum, 1e-5) << V << " vectors, " << count << " rows";
    }
  };
  for (std::size_t count = 0; count <= index.size(); ++count) {
    check.operator()<1>(count);
    check.operator()<2>(count);
    check.operator()<3>(count);
    check.operator()<4>(count);
  }
}

}  // namespace
}  // namespace mmo
