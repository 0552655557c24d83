#include "mmo/search/sub_problem.h"

#include <gtest/gtest.h>

#include <map>

namespace mmo {
namespace {

// Label 0 in every third row, label 1 in the last three rows, label 2 nowhere.
struct Rows {
  LabelMatrix labels;
  Features x;
  Problem problem;

  explicit Rows(std::uint32_t n) {
    DenseMatrix dense(n, 1);
    labels.cols = 3;
    for (std::uint32_t i = 0; i < n; ++i) {
      std::vector<std::uint32_t> row;
      if (i % 3 == 0) row.push_back(0);
      if (i + 3 >= n) row.push_back(1);
      labels.push_row(row);
      dense(i, 0) = static_cast<float>(i);
      problem.fold_of_row.push_back(i % 5);
      problem.row_weights.push_back(static_cast<float>(2 * i));
    }
    x = std::move(dense);
    problem.labels = &labels;
    problem.rows_of_label = transpose(labels);
    problem.folds = 5;
    problem.trainable = {0, 1};
  }
};

TEST(SampleRows, TakesAShareOfEveryFoldAndKeepsRarePositives) {
  const Rows data(1000);
  const auto rows = sample_rows(data.problem, 300);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_NEAR(static_cast<double>(rows.size()), 300, 3 + 5);  // three positives, five folds' rounding
  std::map<std::uint32_t, int> by_fold;
  for (const std::uint32_t i : rows) ++by_fold[data.problem.fold_of_row[i]];
  for (const auto& [fold, count] : by_fold) EXPECT_NEAR(count, 60, 4) << fold;
  for (const std::uint32_t i : {997U, 998U, 999U})
    EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), i)) << i;
}

TEST(SubProblem, HoldsTheRowsAndAllThatBelongsToThem) {
  const Rows data(20);
  const SubProblem part(data.problem, data.x, {3, 4, 19});
  EXPECT_EQ(part.problem.rows(), 3U);
  EXPECT_EQ(std::get<DenseMatrix>(part.x).values, (Buffer<float>{3, 4, 19}));
  EXPECT_EQ(part.problem.row_weights, (std::vector<float>{6, 8, 38}));
  EXPECT_EQ(part.problem.fold_of_row, (std::vector<std::uint32_t>{3, 4, 4}));
  EXPECT_EQ(part.problem.rows_of_label.row(0).size(), 1U);
  EXPECT_EQ(part.problem.rows_of_label.row(1).front(), 2U);
  EXPECT_EQ(part.problem.trainable, data.problem.trainable);
}

}  // namespace
}  // namespace mmo
