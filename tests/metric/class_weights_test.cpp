#include "mmo/metric/class_weights.h"

#include <gtest/gtest.h>

#include <vector>

#include "mmo/core/error.h"

namespace mmo {
namespace {

// Counting positives 5 times and negatives twice is evaluating 5·(TP, FN) and 2·(FP, TN).
TEST(ClassWeights, ArePartOfTheCounts) {
  const Metric weighted = weight_classes(parse_metric("macro-f1"), std::vector<ClassWeights>{{5, 2}, {1, 1}});
  ASSERT_EQ(weighted.ratios.size(), 2U);
  const Counts counts{.tp = 3, .fp = 4, .fn = 2, .tn = 9};
  EXPECT_DOUBLE_EQ(ratio_value(weighted.ratio(0), counts, 0), 30.0 / (30 + 8 + 10));
  EXPECT_DOUBLE_EQ(ratio_value(weighted.ratio(1), counts, 0), 6.0 / 12);
  EXPECT_EQ(weighted.name, "macro-f1, class-weighted");
}

TEST(ClassWeights, OfAllLabelsAlikeAreOneRatio) {
  EXPECT_EQ(weight_classes(parse_metric("micro-f1"), std::vector<ClassWeights>(7, {3, 1})).ratios.size(), 1U);
}

TEST(ClassWeights, NeedAPairPerLabelWhereRatiosDiffer) {
  Metric each = parse_metric("micro-f1");
  each.ratios.push_back(parse_metric("micro-jaccard").ratio(0));
  EXPECT_THROW(static_cast<void>(weight_classes(each, std::vector<ClassWeights>(3))), UsageError);
}

}  // namespace
}  // namespace mmo
