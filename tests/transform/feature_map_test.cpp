#include "mmo/transform/feature_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mmo/core/error.h"
#include "mmo/core/lend.h"
#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/transform/rank_gauss.h"
#include "support/matrices.h"

namespace mmo {
namespace {

using Kind = FeatureMap::Kind;
constexpr std::array all_kinds{Kind::identity, Kind::standardise, Kind::arcsinh, Kind::rank_gauss,
                               Kind::l2_rows,  Kind::idf_l2,      Kind::sqrt_l2};
constexpr double float_tolerance = 1e-5;  // values of order 1, a few float32 roundings

DenseMatrix column(std::vector<float> values) {
  DenseMatrix x(values.size(), 1);
  x.values = std::move(values);
  return x;
}

// Heavy tails, half zeros in every third column, one constant column.
DenseMatrix mixed_features(std::size_t rows, std::size_t cols) {
  Random random(7);
  DenseMatrix x(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) {
      const double value = random.normal() * std::exp(random.normal());
      x(i, j) = j % 3 == 0 && random.uniform() < 0.5 ? 0.0F : static_cast<float>(value);
    }
    x(i, 1) = 4.0F;
  }
  return x;
}

std::vector<float> mapped(Kind kind, const DenseMatrix& x) {
  return to_dense(fit_feature_map(kind, x).apply(x)).values.own();
}

TEST(FeatureMap, NamesRoundTripAndUnknownNamesListTheKnown) {
  for (const Kind kind : all_kinds) EXPECT_EQ(parse_feature_map(kind_name(kind)), kind);
  try {
    (void)parse_feature_map("box-cox");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("rank-gauss"), std::string::npos);
  }
}

TEST(FeatureMap, SparseAndDenseRowsGiveTheSame) {
  const DenseMatrix x = mixed_features(60, 9);
  for (const Kind kind : all_kinds) {
    SCOPED_TRACE(kind_name(kind));
    const FeatureMap from_dense = fit_feature_map(kind, x);
    const FeatureMap from_sparse = fit_feature_map(kind, to_sparse(x));
    EXPECT_EQ(from_dense.centre, from_sparse.centre);
    EXPECT_EQ(from_dense.scale, from_sparse.scale);
    EXPECT_EQ(from_dense.knot_values, from_sparse.knot_values);
    EXPECT_EQ(to_dense(from_dense.apply(x)).values, to_dense(from_dense.apply(to_sparse(x))).values);
  }
}

// Of rows that lie in a file, a copy might not fit in memory.
TEST(FeatureMap, LentSparseRowsGiveTheSameAndAreCopiedNoMoreThanNeeded) {
  const CsrMatrix x = to_sparse(mixed_features(60, 9));
  const Features lent = lend(Features(lend(x)));
  for (const Kind kind : {Kind::identity, Kind::l2_rows, Kind::idf_l2, Kind::sqrt_l2}) {
    SCOPED_TRACE(kind_name(kind));
    const FeatureMap map = fit_feature_map(kind, x);
    const auto own = std::get<CsrMatrix>(map.apply(x));
    const auto out = std::get<CsrMatrix>(map.apply(lent));
    EXPECT_EQ(out.indices, own.indices);
    EXPECT_EQ(out.values, own.values);
    EXPECT_EQ(std::as_const(out).indices.data(), std::as_const(x).indices.data());
    EXPECT_EQ(out.values.is_lent(), kind == Kind::identity);
  }
}

TEST(FeatureMap, DoesNotDependOnThreads) {
  const DenseMatrix x = mixed_features(700, 37);
  for (const Kind kind : all_kinds) {
    set_threads(1);
    const std::vector<float> one = mapped(kind, x);
    set_threads(5);
    EXPECT_EQ(mapped(kind, x), one) << kind_name(kind);
    set_threads(0);
  }
}

TEST(Standardise, MeanZeroDeviationOne) {
  const auto z = mapped(Kind::standardise, column({1, 2, 3, 6}));
  // mean 3, population sd √3.5
  EXPECT_NEAR(z[0], -2 / std::sqrt(3.5), float_tolerance);
  EXPECT_NEAR(z[3], 3 / std::sqrt(3.5), float_tolerance);
}

TEST(DenseKinds, ConstantColumnBecomesZero) {
  for (const Kind kind : {Kind::standardise, Kind::arcsinh, Kind::rank_gauss}) {
    for (const float value : {0.0F, 0.1F, -3e30F}) {
      const FeatureMap map = fit_feature_map(kind, column({value, value, value}));
      // also for values that training has not seen
      for (const float v : to_dense(map.apply(column({value, value + 1, 1e6F}))).values) EXPECT_EQ(v, 0.0F);
    }
  }
}

TEST(DenseKinds, SurviveHugeAndTinyValues) {
  for (const Kind kind : {Kind::standardise, Kind::arcsinh, Kind::rank_gauss}) {
    for (const float v : mapped(kind, column({3e38F, -3e38F, 1e-38F, 0, 1, 2})))
      EXPECT_TRUE(std::isfinite(v));
    for (const float v : mapped(kind, column({1e-42F, 2e-42F, 3e-42F}))) EXPECT_TRUE(std::isfinite(v));
  }
}

TEST(Arcsinh, UsesMedianAndInterquartileRangeAndCentres) {
  const auto z = mapped(Kind::arcsinh, column({0, 1, 2, 3, 1000}));
  // median 2, IQR 3 − 1 = 2
  const auto raw = [](double x) { return std::asinh((x - 2) / (2 / 1.35)); };
  const double mean = (raw(0) + raw(1) + raw(2) + raw(3) + raw(1000)) / 5;
  EXPECT_NEAR(z[0], raw(0) - mean, float_tolerance);
  EXPECT_NEAR(z[4], raw(1000) - mean, float_tolerance);
}

TEST(Arcsinh, ZeroInterquartileRangeFallsBackToDeviation) {
  std::vector<float> values(100, 0.0F);
  values[3] = 10;  // sd = √(1 − .01)
  const auto z = mapped(Kind::arcsinh, column(values));
  const double sd = std::sqrt(100.0 / 100 - 0.01);
  EXPECT_NEAR(z[3] - z[0], std::asinh(10 / sd), float_tolerance);
}

TEST(RankGauss, FewValuesGetTheScoreOfTheirMidRank) {
  // sorted 1 1 1 5 9: mid-rank probabilities 3/10, 7/10, 9/10
  const auto z = mapped(Kind::rank_gauss, column({5, 1, 9, 1, 1}));
  EXPECT_NEAR(z[1], normal_quantile(0.3), float_tolerance);
  EXPECT_NEAR(z[0], normal_quantile(0.7), float_tolerance);
  EXPECT_NEAR(z[2], normal_quantile(0.9), float_tolerance);
}

TEST(RankGauss, InterpolatesBetweenKnotsAndClampsOutside) {
  const FeatureMap map = fit_feature_map(Kind::rank_gauss, column({0, 1, 2, 4}));
  const auto z = to_dense(map.apply(column({-50, 3, 50, 2, 4}))).values;
  EXPECT_NEAR(z[0], normal_quantile(1.0 / 8), float_tolerance);
  EXPECT_NEAR(z[1], (z[3] + z[4]) / 2, float_tolerance);
  EXPECT_NEAR(z[2], normal_quantile(7.0 / 8), float_tolerance);
}

// Columns with few and with many distinct values, more than one group of eight: each by itself is the same.
TEST(RankGauss, ColumnsDoNotDependOnTheirNeighbours) {
  constexpr std::size_t rows = 90;
  constexpr std::size_t cols = 19;
  Random random(8);
  DenseMatrix x(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j)
      x(i, j) = static_cast<float>(j % 3 == 0 ? random.normal() : static_cast<double>(random.below(j + 1)));
  }
  DenseMatrix seen = x;  // between, on and outside the knots
  for (std::size_t e = 0; e < seen.values.size(); e += 2) seen.values[e] += 0.3F;
  const DenseMatrix together = to_dense(fit_feature_map(Kind::rank_gauss, x).apply(seen));
  for (std::size_t j = 0; j < cols; ++j) {
    DenseMatrix own(rows, 1);
    DenseMatrix own_seen(rows, 1);
    for (std::size_t i = 0; i < rows; ++i) {
      own(i, 0) = x(i, j);
      own_seen(i, 0) = seen(i, j);
    }
    const DenseMatrix alone = to_dense(fit_feature_map(Kind::rank_gauss, own).apply(own_seen));
    for (std::size_t i = 0; i < rows; ++i) ASSERT_NEAR(together(i, j), alone(i, 0), float_tolerance) << j;
  }
}

TEST(RankGauss, ManyValuesAreMonotoneNormalAndNearTheExactScore) {
  constexpr std::size_t n = 5000;
  Random random(3);
  std::vector<float> values(n);
  for (float& v : values)
    v = random.uniform() < 0.3 ? 0.0F : static_cast<float>(std::exp(2 * random.normal()));
  const FeatureMap map = fit_feature_map(Kind::rank_gauss, column(values));
  EXPECT_GT(map.knots, 100U);
  EXPECT_LE(map.knots, 257U);
  std::sort(values.begin(), values.end());
  const auto z = to_dense(map.apply(column(values))).values;
  for (std::size_t i = 1; i < n; ++i) ASSERT_LE(z[i - 1], z[i]);
  const auto zeros = static_cast<std::size_t>(std::count(values.begin(), values.end(), 0.0F));
  EXPECT_NEAR(z[0], normal_quantile(static_cast<double>(zeros) / (2.0 * n)), float_tolerance);
  // Scores of knots are about 7.4 / 255 = .03 apart, so interpolation is off by less than that.
  for (std::size_t i = zeros; i < n; ++i) {
    ASSERT_NEAR(z[i], normal_quantile((2.0 * static_cast<double>(i) + 1) / (2.0 * n)), 0.035);
  }
}

TEST(RowKinds, RowsHaveLengthOneAndEmptyRowsStay) {
  DenseMatrix x(3, 2);
  x.values = {3, -4, 0, 0, 16, 0};
  EXPECT_EQ(mapped(Kind::l2_rows, x), (std::vector<float>{0.6F, -0.8F, 0, 0, 1, 0}));
  const auto root = mapped(Kind::sqrt_l2, x);
  EXPECT_NEAR(root[0], std::sqrt(3.0 / 7), float_tolerance);
  EXPECT_NEAR(root[1], -std::sqrt(4.0 / 7), float_tolerance);
  const FeatureMap idf = fit_feature_map(Kind::idf_l2, x);
  EXPECT_NEAR(idf.scale[0], std::log(4.0 / 3) + 1, float_tolerance);  // n = 3, df = 2
  EXPECT_NEAR(idf.scale[1], std::log(4.0 / 2) + 1, float_tolerance);
  const auto weighted = to_dense(idf.apply(x)).values;
  EXPECT_NEAR(weighted[1] / weighted[0], -4 * idf.scale[1] / (3 * idf.scale[0]), float_tolerance);
  EXPECT_NEAR(std::hypot(weighted[0], weighted[1]), 1, float_tolerance);
}

TEST(NormalQuantile, InvertsTheNormalDistribution) {
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(1e-9), -5.997807015007687, 1e-9);
  for (double p = 1e-12; p < 0.5; p *= 1.7) {
    EXPECT_NEAR(0.5 * std::erfc(-normal_quantile(p) / std::sqrt(2.0)) / p, 1, 1e-10);
    EXPECT_EQ(normal_quantile(1 - p), -normal_quantile(1 - (1 - p)));
  }
}

}  // namespace
}  // namespace mmo
