#include "mmo/search/estimate.h"

#include <gtest/gtest.h>

#include "mmo/learn/linear/mapped_problem.h"

namespace mmo {
namespace {

std::uint64_t estimated_bytes(std::size_t rows, std::size_t features) {
  LabelMatrix labels;
  labels.cols = 2;
  for (std::size_t i = 0; i < rows; ++i)
    labels.push_row(std::vector<std::uint32_t>{static_cast<std::uint32_t>(i % 2)});
  Problem problem;
  problem.labels = &labels;
  problem.hold_out = HoldOut::by_folds(std::vector<std::uint32_t>(rows), 5);
  problem.trainable = {0, 1};
  const Features x = DenseMatrix(rows, features);
  const LearnerData all{{&x, nullptr}, &problem};
  const Learners learners =
      make_learners(make_recipe("auto", Effort::standard, {}), {}, std::vector<char>(2, 1), Deadline());
  return estimate_search(learners, all, /*mixes=*/true, rows, 1).bytes;
}

// Wider features are not whitened: they do not take d² of memory.
TEST(EstimateSearch, CountsMomentsOfWhitenedFeaturesOnly) {
  EXPECT_LT(estimated_bytes(1700, most_whitened_features + 1), estimated_bytes(1700, most_whitened_features));
  EXPECT_GT(estimated_bytes(1700, 1200), estimated_bytes(1700, 1100));
}

}  // namespace
}  // namespace mmo
