#include "mmo/split/split.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "mmo/core/error.h"
#include "mmo/core/random.h"
#include "mmo/split/stratify.h"

namespace mmo {
namespace {

// Long-tailed labels: label j is present with probability about 0.6 / (j + 1); some rows have none.
LabelMatrix long_tailed_labels(std::size_t rows, std::size_t labels, std::uint64_t seed) {
  Random random(seed);
  LabelMatrix y;
  y.cols = labels;
  std::vector<std::uint32_t> row;
  for (std::size_t i = 0; i < rows; ++i) {
    row.clear();
    for (std::uint32_t j = 0; j < labels; ++j) {
      if (random.uniform() < 0.6 / (j + 1)) row.push_back(j);
    }
    y.push_row(row);
  }
  return y;
}

std::vector<std::size_t> sizes(const std::vector<std::uint32_t>& fold, std::size_t folds) {
  std::vector<std::size_t> count(folds, 0);
  for (const std::uint32_t f : fold) ++count[f];
  return count;
}

// count(f, j): rows of fold f with label j; one more column for the rows without labels.
std::vector<std::vector<double>> label_counts(const LabelMatrix& y, const std::vector<std::uint32_t>& fold,
                                              std::size_t folds) {
  std::vector<std::vector<double>> count(folds, std::vector<double>(y.cols + 1, 0.0));
  for (std::size_t i = 0; i < y.rows; ++i) {
    for (const std::uint32_t j : y.row(i)) ++count[fold[i]][j];
    if (y.row(i).empty()) ++count[fold[i]][y.cols];
  }
  return count;
}

TEST(StratifiedFolds, SizesDifferByAtMostOneRow) {
  for (const std::size_t rows : {11U, 100U, 1003U}) {
    for (const std::size_t folds : {2U, 3U, 5U, 10U}) {
      const auto count = sizes(stratified_folds(long_tailed_labels(rows, 12, rows), folds, 1), folds);
      const auto [low, high] = std::minmax_element(count.begin(), count.end());
      EXPECT_LE(*high - *low, 1U) << rows << " rows, " << folds << " folds";
    }
  }
}

TEST(StratifiedFolds, EveryLabelKeepsItsShare) {
  const LabelMatrix y = long_tailed_labels(2000, 40, 5);
  const auto count = label_counts(y, stratified_folds(y, 5, 1), 5);
  for (std::size_t j = 0; j <= y.cols; ++j) {
    std::vector<double> column;
    column.reserve(count.size());
    for (const auto& fold : count) column.push_back(fold[j]);
    const double mean = std::accumulate(column.begin(), column.end(), 0.0) / 5.0;
    // Placing a row serves its rarest label; the others may be off by a few.
    for (const double c : column) EXPECT_NEAR(c, mean, 3.0) << "label " << j;
  }
}

TEST(StratifiedFolds, RareLabelsGoToDifferentFolds) {
  LabelMatrix y;
  y.cols = 2;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::vector<std::uint32_t> row{i < 5 ? 1U : 0U};
    y.push_row(row);
  }
  const auto fold = stratified_folds(y, 5, 9);
  EXPECT_EQ(std::set<std::uint32_t>(fold.begin(), fold.begin() + 5).size(), 5U);
}

TEST(StratifiedFolds, SeedDecides) {
  const LabelMatrix y = long_tailed_labels(300, 8, 2);
  EXPECT_EQ(stratified_folds(y, 4, 1), stratified_folds(y, 4, 1));
  EXPECT_NE(stratified_folds(y, 4, 1), stratified_folds(y, 4, 2));
}

TEST(StratifiedFolds, GroupsStayTogether) {
  const LabelMatrix y = long_tailed_labels(600, 10, 3);
  Random random(4);
  std::vector<std::string> groups;
  groups.reserve(y.rows);
  for (std::size_t i = 0; i < y.rows; ++i) groups.push_back(fmt::format("g{}", random.below(150)));
  const auto fold = stratified_folds(y, 5, 1, groups);
  std::map<std::string, std::set<std::uint32_t>> folds_of_group;
  for (std::size_t i = 0; i < y.rows; ++i) folds_of_group[groups[i]].insert(fold[i]);
  for (const auto& [group, folds] : folds_of_group) EXPECT_EQ(folds.size(), 1U) << group;
  // Groups have four rows on average, at most about a dozen: folds of 120 rows come out nearly even.
  const auto count = sizes(fold, 5);
  for (const std::size_t c : count) EXPECT_NEAR(static_cast<double>(c), 120.0, 6.0);
  const auto labels = label_counts(y, fold, 5);
  for (const auto& f : labels) EXPECT_NEAR(f[0], 0.6 * 120.0, 12.0);
}

TEST(StratifiedFolds, NoPartIsEmptyWhateverTheGroups) {
  const LabelMatrix y = long_tailed_labels(100, 3, 3);
  std::vector<std::string> halves(100, "a");
  std::fill(halves.begin() + 50, halves.end(), "b");
  const Split split = stratified_split(y, 0.1, 1, halves);
  EXPECT_EQ(split.train.size(), 50U);
  EXPECT_EQ(split.test.size(), 50U);
}

TEST(StratifiedFolds, Errors) {
  const LabelMatrix y = long_tailed_labels(10, 3, 1);
  EXPECT_THROW((void)stratified_folds(y, 1, 0), UsageError);
  EXPECT_THROW((void)stratified_folds(y, 11, 0), UsageError);
  EXPECT_EQ(stratified_folds(y, 10, 0).size(), 10U);
  const std::vector<std::string> one_group(10, "a");
  EXPECT_THROW((void)stratified_folds(y, 2, 0, one_group), UsageError);
  const std::vector<std::string> too_few(9, "a");
  EXPECT_THROW((void)stratified_folds(y, 2, 0, too_few), UsageError);
}

TEST(StratifiedSplit, SharesOfRowsAndLabels) {
  const LabelMatrix y = long_tailed_labels(1000, 20, 6);
  const Split split = stratified_split(y, 0.3, 1);
  ASSERT_EQ(split.test.size(), 300U);
  ASSERT_EQ(split.train.size(), 700U);
  std::vector<std::uint32_t> all = split.train;
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::sort(all.begin(), all.end());
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(all[i], i);
  EXPECT_TRUE(std::is_sorted(split.test.begin(), split.test.end()));
  const LabelMatrix all_columns = transpose(y);
  const LabelMatrix test_columns = transpose(take_rows(y, split.test));
  // A random split would be off by a standard deviation of up to 7.
  for (std::size_t j = 0; j < y.cols; ++j) {
    EXPECT_NEAR(static_cast<double>(test_columns.row(j).size()),
                0.3 * static_cast<double>(all_columns.row(j).size()), 5.0);
  }
}

TEST(StratifiedSplit, TinyAndWrongShares) {
  const LabelMatrix y = long_tailed_labels(10, 3, 1);
  EXPECT_EQ(stratified_split(y, 0.001, 0).test.size(), 1U);
  EXPECT_EQ(stratified_split(y, 0.999, 0).train.size(), 1U);
  for (const double share : {0.0, 1.0, -0.5, std::nan("")}) {
    EXPECT_THROW((void)stratified_split(y, share, 0), UsageError);
  }
  EXPECT_THROW((void)stratified_split(long_tailed_labels(1, 3, 1), 0.5, 0), UsageError);
}

TEST(RandomSplit, IsRandomAndExact) {
  const Split split = random_split(1000, 0.25, 3);
  EXPECT_EQ(split.test.size(), 250U);
  // Positions of the test rows: their mean is 499.5 with standard deviation 289 / √250 · √.75 ≈ 16.
  const double mean = std::accumulate(split.test.begin(), split.test.end(), 0.0) / 250.0;
  EXPECT_NEAR(mean, 499.5, 64.0);
  EXPECT_NE(split.test, random_split(1000, 0.25, 4).test);
}

TEST(LeaveFoldOut, EveryRowOnce) {
  const std::vector<std::uint32_t> fold{0, 1, 2, 0, 1};
  const Split split = leave_fold_out(fold, 1);
  EXPECT_EQ(split.train, (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(split.test, (std::vector<std::uint32_t>{1, 4}));
}

// The largest unit comes first and finds all parts alike.
TEST(Stratify, TiesAreDrawnEvenly) {
  Units units;
  units.rows = {2, 1, 1, 1, 1};
  units.offsets.assign(units.rows.size() + 1, 0);
  constexpr std::uint64_t seeds = 3000;
  std::vector<double> chosen(3, 0.0);
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    ++chosen[stratify(units, std::vector<std::size_t>{2, 2, 2}, seed)[0]];
  for (const double count : chosen) EXPECT_NEAR(count / seeds, 1.0 / 3, 0.05);  // six standard errors
}

TEST(Apportion, LargestRemainders) {
  EXPECT_EQ(apportion(10, std::vector<double>{1, 1, 1}), (std::vector<std::size_t>{4, 3, 3}));
  EXPECT_EQ(apportion(7, std::vector<double>{0.5, 0.3, 0.2}), (std::vector<std::size_t>{4, 2, 1}));
  EXPECT_EQ(apportion(0, std::vector<double>{1, 2}), (std::vector<std::size_t>{0, 0}));
}

TEST(Apportion, WhatIsLeftGoesToTheLargestRemainders) {
  using Parts = std::vector<std::size_t>;
  EXPECT_EQ(apportion(10, std::vector<double>{1, 1, 1}), (Parts{4, 3, 3}));
  EXPECT_EQ(apportion(7, std::vector<double>{0.5, 0.3, 0.2}), (Parts{4, 2, 1}));  // 3.5, 2.1, 1.4
  EXPECT_EQ(apportion(11, std::vector<double>{2, 3, 5}), (Parts{2, 3, 6}));       // 2.2, 3.3, 5.5
  EXPECT_EQ(apportion(9, std::vector<double>{0.1, 0.1, 0.8}), (Parts{1, 1, 7}));  // 0.9, 0.9, 7.2
  EXPECT_EQ(apportion(0, std::vector<double>{1, 2}), (Parts{0, 0}));
}

}  // namespace
}  // namespace mmo
