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

trees::RowVectors vectors_of(const LabelMatrix& labels) {
  trees::RowVectors vectors;
  vectors.width = round_up(labels.cols, 8);
  vectors.values.assign(labels.rows * vectors.width, 0.0F);
  for (std::size_t i = 0; i < labels.rows; ++i) {
    for (const std::uint32_t j : labels.row(i)) vectors.values[i * vectors.width + j] = 1;
  }
  vectors.ceiling.assign(vectors.width, 1.0F);
  return vectors;
}

// Every sweep of one more row must end with the score of counts from scratch, in both directions, and with
// the best of them; twice, to see that a sweep leaves nothing behind.
template <class Impurity>
void compare_with_brute_force(Impurity& impurity, const Sample& sample, const std::vector<float>& weights,
                              double tolerance) {
  RowSet rows;
  for (std::uint32_t i = 0; i < sample.labels.rows; i += 2) rows.push_back(i);
  impurity.enter(rows);
  const double unsplit = side_score(sample.labels, weights, rows);
  EXPECT_NEAR(impurity.unsplit(), unsplit, tolerance * unsplit);
  RowSet order;
  for (std::uint32_t k = 0; k < rows.size(); ++k)
    order.push_back(static_cast<std::uint32_t>(k * 7 % rows.size()));
  double best = 0;
  std::vector<trees::Range> ranges;
  for (std::uint32_t k = 0; k + 1 < rows.size(); ++k) {
    RowSet left, right;
    for (std::size_t at = 0; at < rows.size(); ++at) (at <= k ? left : right).push_back(rows[order[at]]);
    const double expected =
        side_score(sample.labels, weights, left) + side_score(sample.labels, weights, right);
    best = std::max(best, expected);
    const trees::Range all{0, k + 1};
    EXPECT_NEAR(impurity.sweep(order.data(), {&all, 1}, 0).score, expected, tolerance * expected);
    ranges.push_back({k, k + 1});
    EXPECT_NEAR(impurity.sweep(order.data(), ranges, 0).score, best, tolerance * best);
    std::vector<std::uint8_t> bins(rows.size(), 9);
    for (std::size_t at = 0; at <= k; ++at) bins[order[at]] = static_cast<std::uint8_t>(at % 3);
    EXPECT_NEAR(impurity.score_below(bins.data(), 2, 0), expected, tolerance * expected);
  }
}

void compare_both(std::size_t labels, const std::vector<float>& weights) {
  const Sample sample = random_sample({.rows = weights.size(), .labels = labels}, labels);
  const trees::LabelCells cells = cells_of(sample.labels);
  trees::LabelCounts counts(cells, weights);
  compare_with_brute_force(counts, sample, weights, 1e-12);
  if (labels > trees::RowVectors::most) return;
  const trees::RowVectors vectors = vectors_of(sample.labels);
  trees::VectorSums sums(vectors, weights, weights);
  compare_with_brute_force(sums, sample, weights, 1e-6);
}

TEST(SplitScores, EqualBruteForceWithWholeAndRealWeights) {
  for (const std::size_t labels : {1, 6, 9, 20, 31, 400}) {
    std::vector<float> weights(44);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(1 + i % 3);
    compare_both(labels, weights);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 0.25F + static_cast<float>(i % 5);
    compare_both(labels, weights);
  }
}

TEST(SplitScores, PureMeansTheSameLabelsInAllRows) {
  LabelMatrix labels;
  labels.cols = 3;
  for (int i = 0; i < 3; ++i) labels.push_row(std::vector<std::uint32_t>{0, 2});
  labels.push_row(std::vector<std::uint32_t>{0});
  const trees::LabelCells cells = cells_of(labels);
  const trees::RowVectors vectors = vectors_of(labels);
  const std::vector<float> weights(4, 1);
  trees::LabelCounts counts(cells, weights);
  trees::VectorSums sums(vectors, weights, weights);
  const auto check_pure = [](auto& impurity) {
    impurity.enter(RowSet{0, 1, 2});
    EXPECT_TRUE(impurity.pure());
    impurity.enter(RowSet{0, 1, 2, 3});
    EXPECT_FALSE(impurity.pure());
    const std::uint32_t last = 3;
    const trees::Range one{0, 1};
    EXPECT_GE(impurity.sweep(&last, {&one, 1}, 0).score, impurity.perfect());
    EXPECT_LT(impurity.sweep(&last, {&one, 1}, 1.5).score, 0);  // the leaf would be too small
  };
  check_pure(counts);
  check_pure(sums);
}

}  // namespace
}  // namespace mmo
