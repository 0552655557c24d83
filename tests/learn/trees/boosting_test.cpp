#include "mmo/learn/trees/boosting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "learn/trees/tables.h"
#include "mmo/core/error.h"
#include "mmo/core/parallel.h"

namespace mmo {
namespace {

std::vector<std::uint32_t> folds_of(std::size_t rows, std::uint32_t folds) {
  std::vector<std::uint32_t> out(rows);
  for (std::uint32_t i = 0; i < rows; ++i) out[i] = i % folds;
  return out;
}

DenseMatrix scores_of(const ForestScorer& scorer, const Table& table) {
  DenseMatrix out(feature_rows(table.values), scorer.labels);
  add_scores(scorer, table, 0, out.rows, out.values.data());
  return out;
}

TEST(Slopes, EqualFiniteDifferencesOfTheLoss) {
  Sample sample = random_sample({.rows = 6, .labels = 11}, 1);
  sample.unknown.cols = 11;
  for (int i = 0; i < 6; ++i)
    sample.unknown.push_row(i == 2 ? std::vector<std::uint32_t>{4, 7} : std::vector<std::uint32_t>{});
  sample.row_weights = {1, 0.5F, 2, 1, 3, 1};
  std::vector<float> label_weights(11), missed(11), added(11);
  for (std::size_t j = 0; j < 11; ++j) {
    label_weights[j] = 0.5F + static_cast<float>(j % 3);
    missed[j] = 1 + 0.3F * static_cast<float>(j);
    added[j] = 2 - 0.1F * static_cast<float>(j);
  }
  Random random(2);
  constexpr float step = 1e-2F;  // losses are sums of floats: slopes to about 1e-3
  for (const bool plain : {true, false}) {
    Truth truth = sample.truth();
    trees::LogisticCosts costs;
    if (plain) {
      truth = {&sample.labels, nullptr, {}, {}};
    } else {
      truth.label_weights = label_weights;
      costs = {missed, added};
    }
    for (std::size_t i = 0; i < 6; ++i) {
      std::vector<float> z(11), descent(11), curvature(11);
      for (float& value : z) value = static_cast<float>(2 * random.normal());
      descend(truth, costs, i, z.data(), descent.data(), curvature.data());
      for (std::size_t j = 0; j < 11; ++j) {
        const auto loss_at = [&](float shift) {
          std::vector<float> moved = z;
          moved[j] += shift;
          return logistic_loss(truth, costs, i, moved.data());
        };
        EXPECT_NEAR(-(loss_at(step) - loss_at(-step)) / (2 * step), descent[j], 2e-3);
        EXPECT_NEAR((loss_at(step) - 2 * loss_at(0) + loss_at(-step)) / (step * step), curvature[j], 5e-2);
      }
    }
  }
}

TEST(Boosting, LowersTheLossOfRowsItHasNotSeen) {
  for (const std::size_t labels : {3, 40}) {  // 40: the slopes are sketched, leaves keep 32
    const Sample sample = random_sample({.rows = 400, .labels = labels, .missing = 0.05, .categories = 5}, 3);
    const auto folds = folds_of(400, 4);
    BoostOptions options;
    options.rounds = 0;
    const Boosted none = fit_boosted(sample.table, sample.truth(), {folds, 4}, options);
    options.rounds = 100;
    const Boosted some = fit_boosted(sample.table, sample.truth(), {folds, 4}, options);
    EXPECT_LT(some.loss, 0.93 * none.loss) << labels;
    EXPECT_NO_THROW(check(some.scorer));
    EXPECT_EQ(some.scorer.trees(), 4 * some.rounds);
  }
}

TEST(Boosting, ARowsOwnLabelsDoNotReachItsHeldOutScores) {
  Sample sample = random_sample({.rows = 120}, 4);
  const auto folds = folds_of(120, 3);
  BoostOptions options;
  options.rounds = 10;  // one look: the loss says only whether these trees are kept
  const Boosted before = fit_boosted(sample.table, sample.truth(), {folds, 3}, options);
  LabelMatrix changed;
  changed.cols = 3;
  for (std::size_t i = 0; i < 120; ++i) {
    const auto row = sample.labels.row(i);
    changed.push_row(i == 6 ? std::vector<std::uint32_t>{0, 1, 2}
                            : std::vector<std::uint32_t>(row.begin(), row.end()));
  }
  ASSERT_NE(changed.indices, sample.labels.indices);
  sample.labels = changed;
  const Boosted after = fit_boosted(sample.table, sample.truth(), {folds, 3}, options);
  ASSERT_EQ(before.rounds, 10U);
  ASSERT_EQ(after.rounds, 10U);
  for (std::size_t i = 0; i < 120; i += 3) {  // fold 0
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(before.held_out(i, j), after.held_out(i, j));
  }
  EXPECT_NE(before.held_out(1, 0), after.held_out(1, 0));
}

TEST(Boosting, IsTheSameForEveryNumberOfThreads) {
  const Sample sample = random_sample({.rows = 90}, 5);
  const auto folds = folds_of(90, 3);
  BoostOptions options;
  options.rounds = 20;
  set_threads(1);
  const Boosted one = fit_boosted(sample.table, sample.truth(), {folds, 3}, options);
  set_threads(3);
  const Boosted three = fit_boosted(sample.table, sample.truth(), {folds, 3}, options);
  set_threads(0);
  EXPECT_EQ(one.scorer.child, three.scorer.child);
  EXPECT_EQ(one.scorer.leaf_values, three.scorer.leaf_values);
  EXPECT_EQ(one.held_out.values, three.held_out.values);
}

TEST(Boosting, WeightsAreDuplicates) {
  Sample weighted = random_sample({.rows = 90, .values = 6}, 6);
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> repeated_folds;
  const auto folds = folds_of(90, 3);
  for (std::uint32_t i = 0; i < 90; ++i) {
    weighted.row_weights.push_back(static_cast<float>(1 + i % 2));
    rows.insert(rows.end(), 1 + i % 2, i);
    repeated_folds.insert(repeated_folds.end(), 1 + i % 2, folds[i]);
  }
  Sample repeated = take(weighted, rows);
  repeated.row_weights.clear();
  BoostOptions options;
  options.rounds = 10;
  const Boosted a = fit_boosted(weighted.table, weighted.truth(), {folds, 3}, options);
  const Boosted b = fit_boosted(repeated.table, repeated.truth(), {repeated_folds, 3}, options);
  EXPECT_NEAR(a.loss, b.loss, 1e-4);
  const DenseMatrix of_a = scores_of(a.scorer, weighted.table);
  const DenseMatrix of_b = scores_of(b.scorer, weighted.table);
  for (std::size_t k = 0; k < of_a.values.size(); ++k) EXPECT_NEAR(of_a.values[k], of_b.values[k], 1e-3);
}

TEST(Boosting, ADearMissRaisesScores) {
  const Sample sample = random_sample({.rows = 100, .labels = 2}, 7);
  const auto folds = folds_of(100, 2);
  BoostOptions options;
  options.rounds = 10;
  const Boosted even = fit_boosted(sample.table, sample.truth(), {folds, 2}, options);
  const std::vector<float> missed{5, 1};
  const std::vector<float> added{1, 1};
  options.costs = {missed, added};
  const Boosted dear = fit_boosted(sample.table, sample.truth(), {folds, 2}, options);
  EXPECT_GT(dear.scorer.base[0], even.scorer.base[0] + 1);
  EXPECT_NEAR(dear.scorer.base[1], even.scorer.base[1], 1e-5);
}

TEST(Boosting, OddTablesAreNoTrouble) {
  BoostOptions options;
  options.rounds = 20;
  Sample two = random_sample({.rows = 2}, 1);
  const std::vector<std::uint32_t> apart{0, 1};
  check(fit_boosted(two.table, two.truth(), {apart, 2}, options).scorer);
  const std::vector<std::uint32_t> together{0, 0};  // nothing to learn from
  check(fit_boosted(two.table, two.truth(), {together, 1}, options).scorer);
  EXPECT_THROW((void)fit_boosted(two.table, two.truth(), {together, 0}, options), UsageError);
  Sample constant = random_sample({.rows = 20, .missing = 1.0}, 1);
  constant.labels = {};
  constant.labels.cols = 2;
  for (int i = 0; i < 20; ++i) constant.labels.push_row(std::vector<std::uint32_t>{1});
  const auto folds = folds_of(20, 4);
  const Boosted boosted = fit_boosted(constant.table, constant.truth(), {folds, 4}, options);
  check(boosted.scorer);
  EXPECT_LT(boosted.held_out(0, 0), -3);
  EXPECT_GT(boosted.held_out(0, 1), 3);
}

}  // namespace
}  // namespace mmo
