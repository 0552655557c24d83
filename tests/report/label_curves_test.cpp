#include "mmo/report/label_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "mmo/core/random.h"

namespace mmo {
namespace {

struct Scored {
  DenseMatrix scores;
  LabelMatrix labels;
  Truth truth;
};

// Scores of a few digits, so that some are equal.
void make(std::size_t rows, std::size_t cols, Scored& out) {
  Random random(3);
  out.scores = DenseMatrix(rows, cols);
  out.labels.cols = cols;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::uint32_t> present;
    for (std::size_t j = 0; j < cols; ++j) {
      const bool positive = random.below(4 + 10 * j) == 0;
      if (positive) present.push_back(static_cast<std::uint32_t>(j));
      const double noise = static_cast<double>(random.below(400)) / 100.0 - 2.0;
      out.scores(i, j) = static_cast<float>(noise + (positive ? 0.7 : -0.3));
    }
    out.labels.push_row(present);
  }
  out.truth.labels = &out.labels;
}

TEST(LabelCurves, CountsAreThoseOfTheThreshold) {
  Scored data;
  make(300, 4, data);
  const std::vector<float> own{0.123456F, -5.0F, std::numeric_limits<float>::infinity(), 0.0F};
  const auto curves = label_curves(data.scores, data.truth, 8, own);
  ASSERT_EQ(curves.size(), 4U);
  for (std::size_t j = 0; j < 4; ++j) {
    ASSERT_GE(curves[j].size(), 2U);
    EXPECT_LE(curves[j].size(), 9U);
    float before = std::numeric_limits<float>::infinity();
    for (const CurvePoint& point : curves[j]) {
      EXPECT_LT(point.threshold, before);
      before = point.threshold;
      double tp = 0;
      double fp = 0;
      for (std::size_t i = 0; i < data.scores.rows; ++i) {
        if (data.scores(i, j) < point.threshold) continue;
        const auto present = data.labels.row(i);
        (std::find(present.begin(), present.end(), j) != present.end() ? tp : fp) += 1;
      }
      EXPECT_EQ(point.tp, tp) << "label " << j << " at " << point.threshold;
      EXPECT_EQ(point.fp, fp) << "label " << j << " at " << point.threshold;
    }
  }
  // The model's own thresholds are among the points, as they are.
  EXPECT_TRUE(std::any_of(curves[0].begin(), curves[0].end(),
                          [](const CurvePoint& p) { return p.threshold == 0.123456F; }));
}

TEST(LabelCurves, EveryPositiveIsReached) {
  Scored data;
  make(200, 3, data);
  const auto curves = label_curves(data.scores, data.truth, 5, {});
  for (std::size_t j = 0; j < 3; ++j) {
    double positives = 0;
    for (const std::uint32_t label : data.labels.indices) positives += label == j ? 1 : 0;
    EXPECT_EQ(curves[j].back().tp, positives);
  }
}

TEST(LabelCurves, UnknownCellsAndWeightsCount) {
  DenseMatrix scores(4, 1);
  for (std::size_t i = 0; i < 4; ++i) scores(i, 0) = static_cast<float>(i);
  LabelMatrix labels;
  labels.cols = 1;
  LabelMatrix unknown;
  unknown.cols = 1;
  const std::vector<std::uint32_t> first{0};
  for (std::size_t i = 0; i < 4; ++i)
    labels.push_row(i >= 2 ? std::span<const std::uint32_t>(first) : std::span<const std::uint32_t>());
  for (std::size_t i = 0; i < 4; ++i)
    unknown.push_row(i == 1 ? std::span<const std::uint32_t>(first) : std::span<const std::uint32_t>());
  const std::vector<float> weights{1, 1, 2, 0.5F};
  const Truth truth{&labels, &unknown, weights};
  const std::vector<float> own{0.0F};
  const auto curve = label_curves(scores, truth, 8, own)[0];
  ASSERT_EQ(curve.size(), 3U);
  EXPECT_EQ(curve[0].tp, 0.5);
  EXPECT_EQ(curve[1].tp, 2.5);
  EXPECT_EQ(curve[1].fp, 0);
  EXPECT_EQ(curve[2].fp, 1);  // row 1 is unknown
}

TEST(LabelCurves, ALabelWithoutPositivesHasItsOwnThresholdOnly) {
  const DenseMatrix scores(3, 1, 0.5F);
  LabelMatrix labels;
  labels.cols = 1;
  for (int i = 0; i < 3; ++i) labels.push_row({});
  Truth truth;
  truth.labels = &labels;
  EXPECT_TRUE(label_curves(scores, truth, 8, {})[0].empty());
  const std::vector<float> own{0.25F};
  const auto curve = label_curves(scores, truth, 8, own)[0];
  ASSERT_EQ(curve.size(), 1U);
  EXPECT_EQ(curve[0].fp, 3);
}

}  // namespace
}  // namespace mmo
