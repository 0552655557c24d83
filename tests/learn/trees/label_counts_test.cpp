#include "mmo/learn/trees/label_counts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "learn/trees/tables.h"
#include "support/reference_tree.h"

namespace mmo {
namespace {

trees::LabelCells cells_of(const LabelMatrix& labels) {
  trees::LabelCells cells;
  cells.labels = labels.cols;
  for (std::size_t i = 0; i < labels.rows; ++i) {
    for (const std::uint32_t j : labels.row(i)) cells.label.push_back(j);
    cells.offsets.push_back(static_cast<std::uint32_t>(cells.label.size()));
  }
  return cells;
}

// Moves rows one by one and compares with counts from scratch, twice to see that forgetting leaves nothing.
template <class Number>
void compare_with_brute_force(const Sample& sample, const std::vector<Number>& weights) {
  const trees::LabelCells cells = cells_of(sample.labels);
  const std::vector<float> plain(weights.begin(), weights.end());
  trees::LabelCounts<Number> counts(cells, weights);
  RowSet rows;
  for (std::uint32_t i = 0; i < sample.labels.rows; i += 2) rows.push_back(i);
  counts.enter(rows);
  EXPECT_NEAR(counts.unsplit(), side_score(sample.labels, plain, rows), 1e-9);
  for (int round = 0; round < 2; ++round) {
    for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
      counts.move(std::span(rows).subspan(k, 1));
      const RowSet left(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(k) + 1);
      const RowSet right(rows.begin() + static_cast<std::ptrdiff_t>(k) + 1, rows.end());
      EXPECT_NEAR(counts.score(),
                  side_score(sample.labels, plain, left) + side_score(sample.labels, plain, right), 1e-9);
    }
    counts.forget(rows);
  }
}

TEST(LabelCounts, WholeWeightsEqualBruteForce) {
  for (const std::size_t labels : {3, 400}) {  // few: counts are cleared at once; many: label by label
    const Sample sample = random_sample({.rows = 40, .labels = labels}, 1);
    std::vector<std::int32_t> weights(sample.labels.rows);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 1 + static_cast<std::int32_t>(i % 3);
    compare_with_brute_force(sample, weights);
  }
}

TEST(LabelCounts, RealWeightsEqualBruteForce) {
  const Sample sample = random_sample({.rows = 40, .labels = 7}, 2);
  std::vector<double> weights(sample.labels.rows);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 0.25 + static_cast<double>(i % 5);
  compare_with_brute_force(sample, weights);
}

TEST(LabelCounts, PureMeansTheSameLabelsInAllRows) {
  LabelMatrix labels;
  labels.cols = 3;
  for (int i = 0; i < 3; ++i) labels.push_row(std::vector<std::uint32_t>{0, 2});
  labels.push_row(std::vector<std::uint32_t>{0});
  const trees::LabelCells cells = cells_of(labels);
  const std::vector<std::int32_t> weights(4, 1);
  trees::LabelCounts<std::int32_t> counts(cells, weights);
  counts.enter(RowSet{0, 1, 2});
  EXPECT_TRUE(counts.pure());
  counts.enter(RowSet{0, 1, 2, 3});
  EXPECT_FALSE(counts.pure());
  counts.move(RowSet{3});
  EXPECT_GE(counts.score(), counts.perfect());
}

}  // namespace
}  // namespace mmo
