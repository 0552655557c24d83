#include "mmo/report/cross_tuned.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mmo {
namespace {

TEST(CrossTuned, ARowIsDecidedByTheOtherFold) {
  // Fold 0 wants a threshold of at most 2, fold 1 one of at most 0: each gets the other's.
  DenseMatrix scores(8, 1);
  LabelMatrix labels;
  labels.cols = 1;
  std::vector<std::uint32_t> folds(8);
  const std::vector<std::uint32_t> present{0};
  for (std::size_t i = 0; i < 8; ++i) {
    const bool positive = i % 4 >= 2;
    folds[i] = i < 4 ? 0 : 1;
    scores(i, 0) = (i < 4 ? 2.0F : 0.0F) + (positive ? 0.0F : -1.0F);
    labels.push_row(positive ? std::span<const std::uint32_t>(present) : std::span<const std::uint32_t>());
  }
  Truth truth;
  truth.labels = &labels;
  const CrossTuned tuned = cross_tuned(parse_metric("micro-f1"), scores, truth, folds);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(tuned.global.row(i).size(), i < 4 ? 1U : 0U) << i;
    EXPECT_EQ(tuned.per_label.row(i).size(), i < 4 ? 1U : 0U) << i;
  }
  EXPECT_NEAR(tuned.spread[0], std::sqrt(2.0), 1e-6);  // thresholds 0 and 2
}

}  // namespace
}  // namespace mmo
