#include "deep/loss/lambda.h"

#include <gtest/gtest.h>

#include <limits>

#include "mmo/core/error.h"

namespace mmo::deep {
namespace {

constexpr double rounding = 1e-12;

// Two rows, two labels. Predictions 1 1 / 0 1, truth 1 0 / 1 1: label 0 has TP 1, FN 1, label 1 has TP 1,
// FP 1.
const std::vector<float> logits{1, 1, -1, 1};
const std::vector<float> targets{1, 0, 1, 1};
const ScoredBatch batch{2, logits, targets};

LambdaSettings from(LambdaSource source, bool per_label = false) {
  LambdaSettings out;
  out.source = source;
  out.per_label = per_label;
  return out;
}

double after_one_batch(const char* metric, const LambdaSettings& settings, std::size_t label = 0) {
  LambdaTracker tracker(parse_metric(metric), 2, settings);
  tracker.update(batch);
  return tracker.lambda()[label];
}

TEST(Lambda, BatchIsThePapersAverage) {
  EXPECT_NEAR(after_one_batch("micro-f1", from(LambdaSource::batch)), 0.7 * 0.5 + 0.3 * 4.0 / 6.0, rounding);
  // Rows: F1 2/3 and 2/3.
  EXPECT_NEAR(after_one_batch("samples-f1", from(LambdaSource::batch)), 0.7 * 0.5 + 0.3 * 2.0 / 3.0,
              rounding);
  EXPECT_NEAR(after_one_batch("samples-jaccard", from(LambdaSource::batch)), 0.7 * 0.5 + 0.3 * 0.5, rounding);
}

// The paper's average takes 0/0 as the metric does; counts leave rows without a ratio out.
TEST(Lambda, EmptyRowsCountOnlyInTheBatchAverage) {
  const std::vector<float> nothing{-1, -1, 1, 1};
  const std::vector<float> absent{0, 0, 1, 1};
  for (const auto& [source, expected] :
       {std::pair(LambdaSource::batch, 0.7 * 0.5 + 0.3 * 0.5), std::pair(LambdaSource::counts, 1.0)}) {
    LambdaTracker tracker(parse_metric("samples-f1"), 2, from(source));
    tracker.update({2, nothing, absent});
    EXPECT_NEAR(tracker.lambda()[0], expected, rounding);
  }
}

TEST(Lambda, RatiosPerLabelThatAreEqualAreOneRatio) {
  for (const char* name : {"micro-f1", "samples-jaccard"}) {
    Metric each = parse_metric(name);
    each.ratios.push_back(each.ratios[0]);
    LambdaTracker tracker(each, 2, from(LambdaSource::counts));
    tracker.update(batch);
    EXPECT_NEAR(tracker.lambda()[0], after_one_batch(name, from(LambdaSource::counts)), rounding) << name;
    EXPECT_NEAR(tracker.costs()[1].false_positive, tracker.lambda()[0], rounding) << name;
  }
}

TEST(Lambda, CountsAreTheMetricOfAllBatchesSoFarDecayed) {
  EXPECT_NEAR(after_one_batch("micro-f1", from(LambdaSource::counts)), 4.0 / 6.0, rounding);
  EXPECT_NEAR(after_one_batch("macro-f1", from(LambdaSource::counts)), 2.0 / 3.0, rounding);
  LambdaTracker tracker(parse_metric("micro-f1"), 2, from(LambdaSource::counts));
  const std::vector<float> right{1, -1, 1, 1};
  tracker.update(batch);
  tracker.update({2, right, targets});
  EXPECT_NEAR(tracker.lambda()[0], 2 * (0.99 * 2 + 3) / (2 * (0.99 * 2 + 3) + 0.99 * 2), rounding);
}

// n₀ = ν·rows: the same whatever the size of batches and the memory.
TEST(Lambda, LabelsShrinkByAShareOfTheRows) {
  LambdaSettings settings = from(LambdaSource::counts, true);
  EXPECT_NEAR(after_one_batch("macro-f1", settings), 2.0 / 3.0, rounding);
  settings.counts.shrinkage = 0.5;
  EXPECT_NEAR(after_one_batch("macro-f1", settings), 2.0 / 4.0, rounding);
  LambdaTracker tracker(parse_metric("macro-f1"), 2, settings);
  for (int k = 0; k < 5; ++k) tracker.update(batch);
  EXPECT_NEAR(tracker.lambda()[0], 2.0 / 4.0, rounding);
}

TEST(Lambda, ValidationCountsOnlyValidationRows) {
  LambdaTracker tracker(parse_metric("micro-f1"), 2, from(LambdaSource::validation));
  tracker.update(batch);
  EXPECT_EQ(tracker.lambda()[0], 0.5);
  LabelMatrix truth;
  truth.cols = 2;
  truth.push_row(std::vector<std::uint32_t>{0, 1});
  LabelMatrix predicted;
  predicted.cols = 2;
  predicted.push_row(std::vector<std::uint32_t>{0});
  Truth known;
  known.labels = &truth;
  tracker.validate(predicted, known);
  EXPECT_NEAR(tracker.lambda()[0], 2.0 / 3.0, rounding);
}

TEST(Lambda, UnknownCellsAreNotCounted) {
  const std::vector<float> partly{1, std::numeric_limits<float>::quiet_NaN(), 1, 1};
  LambdaTracker tracker(parse_metric("micro-f1"), 2, from(LambdaSource::counts));
  tracker.update({2, logits, partly});
  EXPECT_NEAR(tracker.lambda()[0], 4.0 / 5.0, rounding);
}

TEST(Lambda, CostsFollow) {
  LambdaTracker tracker(parse_metric("micro-f1"), 2, from(LambdaSource::counts));
  tracker.update(batch);
  EXPECT_NEAR(tracker.costs()[1].false_negative, 2 - 4.0 / 6.0, rounding);
  EXPECT_NEAR(tracker.costs()[1].false_positive, 4.0 / 6.0, rounding);
}

TEST(Lambda, StateRestoresExactly) {
  LambdaTracker tracker(parse_metric("macro-f1"), 2, from(LambdaSource::counts, true));
  tracker.update(batch);
  LambdaTracker other(parse_metric("macro-f1"), 2, from(LambdaSource::counts, true));
  other.restore(tracker.state());
  tracker.update(batch);
  other.update(batch);
  EXPECT_EQ(tracker.state(), other.state());
}

TEST(Lambda, RowAveragesHaveNoLambdaPerLabel) {
  EXPECT_THROW(LambdaTracker(parse_metric("samples-f1"), 2, from(LambdaSource::counts, true)), UsageError);
}

}  // namespace
}  // namespace mmo::deep
