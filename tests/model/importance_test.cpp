#include "mmo/model/importance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mmo/core/error.h"
#include "model/random_model.h"
#include "support/matrices.h"

namespace mmo {
namespace {

// Label j is present where column j is positive; column 2 says nothing.
Dataset signs(bool sparse) {
  Random random(3);
  DenseMatrix x(400, 3);
  x.values = random_values(1200, random);
  Dataset data;
  data.y.cols = 2;
  for (std::size_t i = 0; i < x.rows; ++i) {
    std::vector<std::uint32_t> present;
    for (std::uint32_t j = 0; j < 2; ++j) {
      if (x(i, j) > 0) present.push_back(j);
    }
    data.y.push_row(present);
  }
  if (sparse) {
    data.x = to_sparse(x);
  } else {
    data.x = x;
  }
  return data;
}

Model reads_signs(std::size_t columns) {
  Random random(1);
  Model model = random_model({.columns = columns, .labels = 2}, random);
  model.metric = parse_metric("micro-f1");
  model.rule.thresholds = {0, 0};
  model.bias = {0, 0};
  model.weights.values.assign(2 * columns, 0.0F);
  model.weights(0, 0) = 4;
  model.weights(1, 1) = 2;
  return model;
}

double log_loss(double z, bool present) { return std::log1p(std::exp(present ? -z : z)); }

TEST(Importance, IsWhatDealingOutAColumnLoses) {
  const Dataset data = signs(false);
  const auto& x = std::get<DenseMatrix>(data.x);
  ImportanceOptions options;
  options.repeats = 30;
  const Importance found = permutation_importance(reads_signs(3), data, options);
  ASSERT_EQ(found.columns.size(), 3U);
  EXPECT_EQ(found.rows, 400U);
  EXPECT_DOUBLE_EQ(found.metric, 1);
  EXPECT_EQ(found.columns[0].name, "f0");
  EXPECT_EQ(found.columns[2].name, "f2");
  EXPECT_EQ(found.columns[2].log_loss, 0);
  EXPECT_EQ(found.columns[2].metric, 0);
  // Dealt out at random, any row's value of column 0 meets any row's label.
  double before = 0;
  double after = 0;
  for (std::size_t i = 0; i < x.rows; ++i) {
    before += log_loss(4 * x(i, 0), x(i, 0) > 0) / 400;
    for (std::size_t k = 0; k < x.rows; ++k) after += log_loss(4 * x(i, 0), x(k, 0) > 0) / 160000;
  }
  EXPECT_NEAR(found.columns[0].label_log_loss[0], after - before, 0.05 * (after - before));
  EXPECT_EQ(found.columns[0].label_log_loss[1], 0);
  EXPECT_NEAR(found.columns[0].log_loss, found.columns[0].label_log_loss[0] / 2, 1e-9);
  EXPECT_NEAR(found.columns[0].metric, 0.25, 0.02);  // half the cells of one of two labels turn wrong
  EXPECT_GT(found.columns[0].metric_deviation, 0);
}

TEST(Importance, SparseRowsGiveTheSame) {
  const Importance dense = permutation_importance(reads_signs(3), signs(false));
  const Importance sparse = permutation_importance(reads_signs(3), signs(true));
  ASSERT_EQ(dense.columns.size(), sparse.columns.size());
  for (std::size_t c = 0; c < dense.columns.size(); ++c)
    EXPECT_NEAR(dense.columns[c].log_loss, sparse.columns[c].log_loss, 1e-6);
}

TEST(Importance, TriesFewerRowsAndColumnsOfLargeTables) {
  ImportanceOptions options;
  options.most_rows = 50;
  options.most_columns = 2;
  const Importance found = permutation_importance(reads_signs(3), signs(true), options);
  EXPECT_EQ(found.rows, 50U);
  EXPECT_EQ(found.columns.size(), 2U);
  EXPECT_EQ(found.columns_in_all, 3U);
}

TEST(Importance, RefusesTextAndSingleRows) {
  Dataset text;
  text.documents = {"a", "b"};
  EXPECT_THROW((void)permutation_importance(reads_signs(3), text), DataError);
  const Dataset data = signs(false);
  EXPECT_THROW((void)permutation_importance(reads_signs(3), take_rows(data, std::vector<std::uint32_t>{0})),
               DataError);
}

}  // namespace
}  // namespace mmo
