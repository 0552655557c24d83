#include "mmo/learn/trees/bins.h"

#include <gtest/gtest.h>

#include <array>

#include "learn/trees/tables.h"

namespace mmo {
namespace {

using trees::Bins;
using trees::make_bins;
using trees::missing_bin;

Table column(std::vector<float> values) {
  DenseMatrix x(values.size(), 1);
  x.values = std::move(values);
  return {std::move(x), {}};
}

TEST(Bins, FewValuesHaveABinEachAndCutsHalfWay) {
  const Bins bins = make_bins(column({3, 1, missing_value, 1, 8}), {});
  EXPECT_EQ(bins.columns[0].cuts, (std::vector<float>{2, 5.5F}));
  EXPECT_EQ(bins.columns[0].bins, (std::vector<std::uint8_t>{1, 0, missing_bin, 0, 2}));
}

TEST(Bins, ManyValuesShareBinsOfAboutTheSameWeight) {
  std::vector<float> values;
  for (int i = 0; i < 10000; ++i) values.push_back(static_cast<float>(i < 5000 ? 0 : i));
  const Bins bins = make_bins(column(values), {});
  std::array<int, 256> counts{};
  for (const std::uint8_t bin : bins.columns[0].bins) ++counts[bin];
  EXPECT_EQ(counts[0], 5000);
  for (std::size_t bin = 1; bin < trees::most_bins; ++bin) EXPECT_NEAR(counts[bin], 5000.0 / 254, 2) << bin;
}

TEST(Bins, NeighbouringFloatsAreSplit) {
  const float low = 1.0F;
  const float high = std::nextafter(low, 2.0F);
  const Bins bins = make_bins(column({low, high}), {});
  EXPECT_EQ(bins.columns[0].bins, (std::vector<std::uint8_t>{0, 1}));
}

TEST(Bins, RareCategoriesCountAsMissing) {
  Table table = column({});
  DenseMatrix x(600, 1);
  for (std::size_t i = 0; i < 600; ++i) x(i, 0) = static_cast<float>(i % 300 < 299 ? i % 300 : 0);
  x(599, 0) = 299;
  table.values = std::move(x);
  table.categories = {300};
  const Bins bins = make_bins(table, {});
  EXPECT_EQ(bins.columns[0].category.size(), trees::most_bins);
  EXPECT_EQ(bins.columns[0].bins[599], missing_bin);  // the rarest: one row, the highest index
  EXPECT_NE(bins.columns[0].bins[0], missing_bin);
}

TEST(Bins, SparseAndDenseAgree) {
  Sample sample = random_sample({.rows = 200, .columns = 4, .values = 3, .missing = 0.02}, 3);
  auto& x = std::get<DenseMatrix>(sample.table.values);
  for (std::size_t i = 0; i < 200; ++i) x(i, 0) = i % 50 == 7 ? 2.0F : 0.0F;  // sparse enough for a list
  const std::vector<float> weights(200, 2.0F);
  const Bins dense = make_bins(sample.table, weights);
  const Bins sparse = make_bins(as_sparse(sample.table), weights);
  EXPECT_TRUE(sparse.columns[0].sparse);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(dense.columns[k].cuts, sparse.columns[k].cuts);
    std::vector<std::uint8_t> all(200, sparse.columns[k].usual_bin);
    for (std::size_t i = 0; i < sparse.columns[k].bins.size(); ++i)
      all[sparse.columns[k].sparse ? sparse.columns[k].rows[i] : i] = sparse.columns[k].bins[i];
    EXPECT_EQ(dense.columns[k].bins, all) << k;
  }
}

}  // namespace
}  // namespace mmo
