#include "mmo/learn/trees/forest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "learn/trees/tables.h"
#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/learn/trees/estimate.h"
#include "mmo/learn/trees/tree_walk.h"
#include "support/reference_tree.h"

namespace mmo {
namespace {

ForestOptions one_full_tree(std::size_t columns) {
  ForestOptions options;
  options.trees = 1;
  options.bootstrap = false;
  options.balance = 0;
  options.columns_per_split = columns;
  return options;
}

void expect_equal(const ForestScorer& a, const ForestScorer& b) {
  EXPECT_EQ(a.child, b.child);
  EXPECT_EQ(a.feature, b.feature);
  EXPECT_EQ(a.threshold, b.threshold);
  EXPECT_EQ(a.set_words, b.set_words);
  EXPECT_EQ(a.leaf_labels, b.leaf_labels);
  EXPECT_EQ(a.leaf_values, b.leaf_values);
  EXPECT_EQ(a.base, b.base);
}

DenseMatrix scores_of(const ForestScorer& scorer, const Table& table) {
  DenseMatrix out(feature_rows(table.values), scorer.labels);
  add_scores(scorer, table, 0, out.rows, out.values.data());
  return out;
}

// Follows the training rows down the tree: each split must be as good as the best of an exhaustive search,
// leaves must hold their rows' shares and be impossible or useless to split.
void compare_with_reference(const ForestScorer& scorer, const Sample& sample, const DenseMatrix& x,
                            std::uint32_t node, const RowSet& rows) {
  const double unsplit = side_score(sample.labels, sample.row_weights, rows);
  constexpr double rounding = 1e-5;  // sums are in single precision where labels are few
  if (scorer.child[node] == 0) {
    const std::uint32_t leaf = scorer.feature[node];
    std::vector<double> shares(scorer.labels, 0);
    double total = 0;
    for (const std::uint32_t i : rows) {
      const double w = sample.row_weights.empty() ? 1 : sample.row_weights[i];
      total += w;
      for (const std::uint32_t j : sample.labels.row(i)) shares[j] += w;
    }
    for (std::uint32_t k = scorer.leaf_offsets[leaf]; k < scorer.leaf_offsets[leaf + 1]; ++k)
      shares[scorer.leaf_labels[k]] -= total * scorer.leaf_values[k];
    for (const double rest : shares) EXPECT_NEAR(rest / total, 0, 0.5 / 4095 + 1e-6);
    const double best = best_split_score(x, sample.labels, sample.row_weights, rows);
    EXPECT_LE(best, unsplit + rounding);
    return;
  }
  RowSet left, right;
  for (const std::uint32_t i : rows)
    (trees::goes_right(scorer, node, x.row(i).data()) ? right : left).push_back(i);
  ASSERT_FALSE(left.empty() || right.empty());
  const double score = side_score(sample.labels, sample.row_weights, left) +
                       side_score(sample.labels, sample.row_weights, right);
  EXPECT_NEAR(score, best_split_score(x, sample.labels, sample.row_weights, rows), rounding);
  compare_with_reference(scorer, sample, x, scorer.child[node], left);
  compare_with_reference(scorer, sample, x, scorer.child[node] + 1, right);
}

void compare_with_reference(const Sample& sample, const Table& table) {
  const auto& x = std::get<DenseMatrix>(sample.table.values);
  const Forest forest = fit_forest(table, sample.truth(), one_full_tree(x.cols));
  RowSet rows(x.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  compare_with_reference(forest.scorer, sample, x, 0, rows);
}

TEST(Forest, ATreeSplitsAsWellAsAnExhaustiveSearch) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Sample sample = random_sample({.rows = 50, .values = seed == 0 ? 0UL : 3UL}, seed);
    compare_with_reference(sample, sample.table);
    compare_with_reference(sample, as_sparse(sample.table));
  }
}

TEST(Forest, ATreeSplitsAsWellWithMissingValues) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Sample sample = random_sample({.rows = 50, .values = 4, .missing = 0.2}, seed);
    compare_with_reference(sample, sample.table);
    compare_with_reference(sample, as_sparse(sample.table));
  }
}

TEST(Forest, ATreeSplitsAsWellWithRealWeights) {
  Sample sample = random_sample({.rows = 50, .values = 4}, 7);
  for (std::size_t i = 0; i < 50; ++i) sample.row_weights.push_back(i % 2 == 0 ? 0.5F : 1.5F);
  compare_with_reference(sample, sample.table);
}

TEST(Forest, SparseColumnsSplitAsWell) {
  Sample sample = random_sample({.rows = 120, .columns = 6, .values = 2}, 11);
  auto& x = std::get<DenseMatrix>(sample.table.values);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t k = 0; k < x.cols; ++k)
      x(i, k) = (i * 7 + k * 3) % 11 == 0 ? static_cast<float>(i % 4) - 1 : 0.0F;
  }
  compare_with_reference(sample, as_sparse(sample.table));
}

TEST(Forest, WeightsAreDuplicates) {
  Sample weighted = random_sample({.rows = 40, .values = 5}, 5);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 40; ++i) {
    weighted.row_weights.push_back(static_cast<float>(1 + i % 3));
    rows.insert(rows.end(), 1 + i % 3, i);
  }
  Sample repeated = take(weighted, rows);
  repeated.row_weights.clear();
  ForestOptions options = one_full_tree(0);
  options.trees = 5;
  for (const auto cuts : {ForestOptions::Cuts::best, ForestOptions::Cuts::random}) {
    options.cuts = cuts;
    const DenseMatrix a =
        scores_of(fit_forest(weighted.table, weighted.truth(), options).scorer, weighted.table);
    const DenseMatrix b =
        scores_of(fit_forest(repeated.table, repeated.truth(), options).scorer, weighted.table);
    for (std::size_t k = 0; k < a.values.size(); ++k) EXPECT_NEAR(a.values[k], b.values[k], 0.02);
  }
}

TEST(Forest, OutOfBagScoresComeFromTreesThatHaveNotSeenTheRow) {
  const Sample sample = random_sample({.rows = 30}, 6);
  ForestOptions options;
  options.trees = 40;
  const Forest forest = fit_forest(sample.table, sample.truth(), options);
  const DenseMatrix scores = out_of_bag(forest, sample.table);
  const auto& x = std::get<DenseMatrix>(sample.table.values);
  for (std::size_t i = 0; i < 30; ++i) {
    std::vector<double> sum(3, 0);
    double trees = 0;
    for (std::size_t t = 0; t < 40; ++t) {
      if (forest.in_bag.has(t, i)) continue;
      ++trees;
      const std::uint32_t leaf = trees::leaf_of(forest.scorer, t, x.row(i).data());
      for (std::uint32_t k = forest.scorer.leaf_offsets[leaf]; k < forest.scorer.leaf_offsets[leaf + 1]; ++k)
        sum[forest.scorer.leaf_labels[k]] += forest.scorer.leaf_values[k];
    }
    EXPECT_GT(trees, 0);
    EXPECT_LT(trees, 30);
    for (std::size_t j = 0; j < 3; ++j) {
      const double s = forest.scorer.smoothing;
      const double p = (1 - s) * sum[j] / trees + s * forest.scorer.base[j];
      EXPECT_NEAR(scores(i, j), std::log(p / (1 - p)), 1e-4);
    }
  }
}

TEST(Forest, IsTheSameForEveryNumberOfThreadsAndOrderOfRows) {
  const Sample sample = random_sample({.rows = 80, .missing = 0.1, .categories = 6}, 8);
  std::vector<std::uint32_t> order(80);
  std::iota(order.begin(), order.end(), 0U);
  std::reverse(order.begin(), order.end());
  const Sample reversed = take(sample, order);
  for (const auto cuts : {ForestOptions::Cuts::best, ForestOptions::Cuts::random}) {
    ForestOptions options;
    options.trees = 20;
    options.cuts = cuts;
    set_threads(1);
    const Forest one = fit_forest(sample.table, sample.truth(), options);
    set_threads(3);
    expect_equal(one.scorer, fit_forest(sample.table, sample.truth(), options).scorer);
    expect_equal(one.scorer, fit_forest(reversed.table, reversed.truth(), options).scorer);
    EXPECT_EQ(out_of_bag(one, sample.table).values, out_of_bag(one, sample.table).values);
    set_threads(0);
  }
}

TEST(Forest, UnseenCategoriesAreScoredAsMissing) {
  Sample sample = random_sample({.rows = 60, .columns = 2, .categories = 5}, 9);
  sample.table.categories.back() = 7;  // 5 and 6 never occur
  ForestOptions options;
  options.trees = 10;
  const Forest forest = fit_forest(sample.table, sample.truth(), options);
  check(forest.scorer);
  Table table = sample.table;
  auto& x = std::get<DenseMatrix>(table.values);
  for (std::size_t i = 0; i < x.rows; ++i) x(i, 1) = missing_value;
  const DenseMatrix missing = scores_of(forest.scorer, table);
  for (const float unseen : {5.0F, 6.0F, 7.0F, -1.0F}) {
    for (std::size_t i = 0; i < x.rows; ++i) x(i, 1) = unseen;
    EXPECT_EQ(scores_of(forest.scorer, table).values, missing.values);
  }
}

TEST(Forest, CategoriesAreSplitIntoSets) {
  Sample sample;
  DenseMatrix x(60, 1);
  sample.labels.cols = 1;
  for (std::size_t i = 0; i < 60; ++i) {
    x(i, 0) = static_cast<float>(i % 6);
    sample.labels.push_row(i % 2 == 0 ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>{});
  }
  sample.table = {std::move(x), {6}};
  const Forest forest = fit_forest(sample.table, sample.truth(), one_full_tree(1));
  EXPECT_EQ(forest.scorer.child.size(), 3U);  // even and odd categories apart in one split
}

TEST(Forest, UnknownCellsCountForNothing) {
  Sample sample = random_sample({.rows = 60}, 10);
  sample.unknown.cols = 3;
  for (std::size_t i = 0; i < 60; ++i) {
    const bool unknown = i % 3 == 0 && sample.labels.row(i).empty();
    sample.unknown.push_row(unknown ? std::vector<std::uint32_t>{1} : std::vector<std::uint32_t>{});
  }
  std::vector<std::uint32_t> known;
  std::size_t positives = 0;
  for (std::uint32_t i = 0; i < 60; ++i) {
    if (!sample.unknown.row(i).empty()) continue;
    known.push_back(i);
    const auto row = sample.labels.row(i);
    positives += static_cast<std::size_t>(std::count(row.begin(), row.end(), 1U));
  }
  ForestOptions options = one_full_tree(0);
  options.depth = 0;
  options.min_leaf = 60;  // one leaf of all
  const Forest forest = fit_forest(sample.table, sample.truth(), options);
  ASSERT_EQ(forest.scorer.leaves(), 1U);
  EXPECT_NEAR(forest.scorer.leaf_values[1],
              static_cast<double>(positives) / static_cast<double>(known.size()), 2e-4);
}

TEST(Forest, OddTablesAreNoTrouble) {
  ForestOptions options;
  options.trees = 10;
  for (const auto cuts : {ForestOptions::Cuts::best, ForestOptions::Cuts::random}) {
    options.cuts = cuts;
    Sample two = random_sample({.rows = 2}, 1);
    EXPECT_EQ(out_of_bag(fit_forest(two.table, two.truth(), options), two.table).rows, 2U);
    Sample all_missing = random_sample({.rows = 20, .missing = 1.0, .categories = 3}, 1);
    check(fit_forest(all_missing.table, all_missing.truth(), options).scorer);
    Sample constant = random_sample({.rows = 20}, 1);
    constant.labels = {};
    constant.labels.cols = 2;
    for (int i = 0; i < 20; ++i) constant.labels.push_row(std::vector<std::uint32_t>{1});
    const Forest forest = fit_forest(constant.table, constant.truth(), options);
    const DenseMatrix scores = scores_of(forest.scorer, constant.table);
    EXPECT_LT(scores(0, 0), -3);
    EXPECT_GT(scores(0, 1), 3);
    Sample no_columns = random_sample({.rows = 20, .columns = 1}, 1);
    no_columns.table.values = DenseMatrix(20, 0);
    check(fit_forest(no_columns.table, no_columns.truth(), options).scorer);
  }
}

TEST(Forest, SizesSuitTheRows) {
  for (const std::size_t rows :
       {std::size_t{2}, std::size_t{3000}, std::size_t{20000}, std::size_t{1000000}}) {
    ForestOptions options;
    suit_size(options, rows);
    EXPECT_EQ(options.trees, rows <= 3000 ? 500U : 100U);
    EXPECT_LE(options.rows_per_tree, std::min<std::size_t>(rows, 15000));
  }
}

TEST(Forest, TreesOfFewRowsSeeAboutSoMany) {
  const Sample sample = random_sample({.rows = 2000, .columns = 2}, 3);
  ForestOptions options;
  options.trees = 20;
  options.rows_per_tree = 200;
  const Forest forest = fit_forest(sample.table, sample.truth(), options);
  for (std::size_t tree = 0; tree < 20; ++tree) {
    std::size_t seen = 0;
    for (std::size_t i = 0; i < 2000; ++i) seen += forest.in_bag.has(tree, i) ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(seen), 190, 70);
  }
}

TEST(Forest, EstimatesFollowTheWork) {
  const Sample small = random_sample({.rows = 200}, 3);
  const Sample large = random_sample({.rows = 2000}, 3);
  ForestOptions options;
  EXPECT_GT(estimate(large.table, large.truth(), options).seconds,
            8 * estimate(small.table, small.truth(), options).seconds);
  EXPECT_GT(estimate(large.table, large.truth(), options).bytes,
            8 * estimate(small.table, small.truth(), options).bytes);
  options.rows_per_tree = 100;
  EXPECT_LT(estimate(large.table, large.truth(), options).seconds,
            5 * estimate(small.table, small.truth(), options).seconds);
  EXPECT_GT(estimate(large.table, large.truth(), 5, BoostOptions{}).seconds,
            8 * estimate(small.table, small.truth(), 5, BoostOptions{}).seconds);
}

TEST(Forest, LabelsThatNobodyHasChangeNothing) {
  Sample sample = random_sample({.rows = 80}, 12);
  ForestOptions options;
  options.trees = 5;
  sample.labels.cols = 40;
  const Forest some = fit_forest(sample.table, sample.truth(), options);
  sample.labels.cols = 5000;
  const Forest many = fit_forest(sample.table, sample.truth(), options);
  EXPECT_EQ(some.scorer.child, many.scorer.child);
  EXPECT_EQ(some.scorer.leaf_labels, many.scorer.leaf_labels);
}

}  // namespace
}  // namespace mmo
