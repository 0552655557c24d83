#include "mmo/report/row_errors.h"

#include <gtest/gtest.h>

namespace mmo {
namespace {

LabelMatrix matrix(std::size_t cols, const std::vector<std::vector<std::uint32_t>>& rows) {
  LabelMatrix labels;
  labels.cols = cols;
  for (const auto& row : rows) labels.push_row(row);
  return labels;
}

TEST(RowErrors, CountsRowsByLabels) {
  const LabelMatrix truth_labels = matrix(4, {{}, {0}, {0, 1, 2, 3}, {1}});
  const LabelMatrix predicted = matrix(4, {{}, {}, {0, 1, 2}, {1}});
  Truth truth;
  truth.labels = &truth_labels;
  const LabelsPerRow rows = labels_per_row(predicted, truth, 3);
  EXPECT_EQ(rows.truth, (std::vector<std::size_t>{1, 2, 0, 1}));  // four labels are "3 and more"
  EXPECT_EQ(rows.predicted, (std::vector<std::size_t>{2, 1, 0, 1}));
}

TEST(RowErrors, PairsAMissedLabelWithTheOneGiven) {
  const LabelMatrix truth_labels = matrix(3, {{0}, {0}, {0, 2}, {1}});
  const LabelMatrix predicted = matrix(3, {{1}, {1}, {1, 2}, {1}});
  Truth truth;
  truth.labels = &truth_labels;
  const Confusions found = confusions(predicted, truth, 10);
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_EQ(found.pairs[0].missed, 0U);
  EXPECT_EQ(found.pairs[0].given, 1U);
  EXPECT_EQ(found.pairs[0].rows, 3U);
  EXPECT_EQ(found.skipped, 0U);
  const LabelMatrix row_0_unknown = matrix(3, {{0, 1}, {}, {}, {}});
  truth.unknown = &row_0_unknown;
  EXPECT_EQ(confusions(predicted, truth, 10).pairs[0].rows, 2U);
}

TEST(RowErrors, WorstRowsComeFirst) {
  const LabelMatrix truth_labels = matrix(3, {{0}, {0, 1}, {2}, {}});
  const LabelMatrix predicted = matrix(3, {{0}, {2}, {1, 2}, {}});
  Truth truth;
  truth.labels = &truth_labels;
  const auto rows = worst_rows(predicted, truth, 5);
  ASSERT_EQ(rows.size(), 2U);  // the right ones are not listed
  EXPECT_EQ(rows[0].row, 1U);
  EXPECT_EQ(rows[0].missed, 2U);
  EXPECT_EQ(rows[0].wrong, 1U);
  EXPECT_EQ(rows[1].row, 2U);
  EXPECT_EQ(rows[1].right, 1U);
}

}  // namespace
}  // namespace mmo
