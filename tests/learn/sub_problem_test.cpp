#include "mmo/learn/sub_problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace mmo {
namespace {

// Label 0 in every third row, label 1 in the first three, which a sample of fewer leaves out; label 2
// nowhere.
struct Rows {
  LabelMatrix labels, unknown;
  Features x;
  Problem problem;

  explicit Rows(std::uint32_t n) {
    DenseMatrix dense(n, 1);
    labels.cols = unknown.cols = 3;
    std::vector<std::uint32_t> fold_of_row;
    for (std::uint32_t i = 0; i < n; ++i) {
      std::vector<std::uint32_t> row;
      if (i % 3 == 0) row.push_back(0);
      if (i < 3) row.push_back(1);
      labels.push_row(row);
      unknown.push_row(i == 4 ? std::vector<std::uint32_t>{2} : std::vector<std::uint32_t>{});
      dense(i, 0) = static_cast<float>(i);
      fold_of_row.push_back(i % 5);
    }
    x = std::move(dense);
    problem.labels = &labels;
    problem.rows_of_label = transpose(labels);
    problem.unknown = &unknown;
    problem.unknown_rows_of_label = transpose(unknown);
    problem.label_weights = {1, 2, 3};
    problem.hold_out = HoldOut::by_folds(fold_of_row, 5);
    problem.trainable = {0, 1};
  }
};

TEST(SampleRows, TakesAShareOfEveryFold) {
  Rows data(1000);
  data.problem.rows_of_label.indices.clear();  // no label needs more rows
  data.problem.rows_of_label.offsets.assign(4, 0);
  const RowSample sample = sample_rows(data.problem, 300);
  EXPECT_TRUE(std::is_sorted(sample.rows.begin(), sample.rows.end()));
  EXPECT_EQ(sample.rows.size(), 300U);
  EXPECT_TRUE(sample.weights.empty());
  std::map<std::uint32_t, int> by_fold;
  for (const std::uint32_t i : sample.rows) ++by_fold[data.problem.hold_out.fold_of_row()[i]];
  for (const auto& [fold, count] : by_fold) EXPECT_EQ(count, 60) << fold;
}

TEST(SampleRows, KeepsRarePositivesAndHowRareTheyAre) {
  const Rows data(1000);
  const RowSample sample = sample_rows(data.problem, 300);
  EXPECT_LE(sample.rows.size(), 300U);
  ASSERT_EQ(sample.rows[0], 0U);  // none of the three is among every so many rows of its fold
  ASSERT_EQ(sample.rows[1], 1U);
  ASSERT_EQ(sample.rows[2], 2U);
  ASSERT_EQ(sample.weights.size(), sample.rows.size());
  const double total = std::accumulate(sample.weights.begin(), sample.weights.end(), 0.0);
  EXPECT_NEAR(total, static_cast<double>(sample.rows.size()), 1e-3);
  EXPECT_NEAR((sample.weights[0] + sample.weights[1] + sample.weights[2]) / total, 3.0 / 1000, 1e-6);
}

TEST(SubProblem, HoldsTheRowsAndAllThatBelongsToThem) {
  Rows data(20);
  const RowSample sample{{3, 4, 19}, {1, 2, 0.5F}};
  const SubProblem part(data.problem, data.x, sample);
  EXPECT_EQ(part.problem.rows(), 3U);
  EXPECT_EQ(std::get<DenseMatrix>(part.x).values, (Buffer<float>{3, 4, 19}));
  EXPECT_EQ(part.problem.row_weights, sample.weights);
  EXPECT_EQ(part.problem.hold_out.fold_of_row(), (std::vector<std::uint32_t>{3, 4, 4}));
  EXPECT_EQ(part.problem.rows_of_label.row(0).size(), 1U);
  EXPECT_EQ(part.problem.unknown->row(1).front(), 2U);
  EXPECT_EQ(part.problem.unknown_rows_of_label.row(2).front(), 1U);
  EXPECT_EQ(part.problem.label_weights, data.problem.label_weights);
  EXPECT_EQ(part.problem.trainable, data.problem.trainable);
  for (std::size_t i = 0; i < 20; ++i) data.problem.row_weights.push_back(static_cast<float>(i));
  EXPECT_EQ(SubProblem(data.problem, data.x, sample).problem.row_weights, (std::vector<float>{3, 8, 9.5F}));
}

}  // namespace
}  // namespace mmo
