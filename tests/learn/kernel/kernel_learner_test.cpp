#include "mmo/learn/kernel/kernel_learner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "mmo/calibrate/calibration.h"
#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/learn/kernel/kernel_scores.h"

namespace mmo {
namespace {

// One label holds inside a circle, which no linear model can say; one is never seen.
struct Circle {
  DenseMatrix x;
  LabelMatrix labels;
  Problem problem;

  explicit Circle(std::size_t rows, std::uint64_t seed = 1) : x(rows, 2) {
    Random random(seed);
    labels.cols = 2;
    for (std::size_t i = 0; i < rows; ++i) {
      for (float& value : x.row(i)) value = static_cast<float>(random.normal());
      const std::vector<std::uint32_t> inside{0};
      labels.push_row(x(i, 0) * x(i, 0) + x(i, 1) * x(i, 1) < 1 ? std::span(inside)
                                                                : std::span<const std::uint32_t>{});
    }
    finish();
  }
  void finish() {
    problem.labels = &labels;
    problem.rows_of_label = transpose(labels);
    std::vector<std::uint32_t> folds(labels.rows);
    for (std::uint32_t i = 0; i < labels.rows; ++i) folds[i] = i % 5;
    problem.hold_out = HoldOut::by_folds(folds, 5);
    problem.trainable = {0};
  }
  Circle(const Circle&) = delete;
};

double accuracy(const DenseMatrix& scores, const LabelMatrix& labels) {
  double right = 0;
  for (std::size_t i = 0; i < scores.rows; ++i) right += (scores(i, 0) > 0) == !labels.row(i).empty() ? 1 : 0;
  return right / static_cast<double>(scores.rows);
}

DenseMatrix scored(const Scorer& scorer, const DenseMatrix& x, std::size_t labels) {
  const auto& kernel = std::get<KernelScorer>(scorer);
  DenseMatrix out(x.rows, labels);
  add_scores(kernel, std::get<DenseMatrix>(kernel.map.apply(x)), out.values.data());
  return out;
}

TEST(KernelLearner, LearnsACircleWithAndWithoutAllRowsAsLandmarks) {
  const Circle train(300);
  const Circle test(300, 2);
  const Features x = train.x;
  for (const std::size_t exact_rows : {1000U, 100U}) {
    KernelSettings settings;
    settings.exact_rows = exact_rows;
    settings.landmarks = 80;
    KernelLearner learner(settings);
    const LearnerData given{{&x, nullptr}, &train.problem};
    EXPECT_GT(accuracy(learner.held_out(given), train.labels), 0.9);
    const Scorer scorer = learner.fit(given);
    EXPECT_EQ(std::get<KernelScorer>(scorer).landmarks.cols, exact_rows == 100 ? 80U : 300U);
    EXPECT_GT(accuracy(scored(scorer, test.x, 2), test.labels), 0.9);
    EXPECT_NO_THROW(check(std::get<KernelScorer>(scorer)));
    EXPECT_GT(learner.cost(given, 300, 1).searching, 0U);
  }
}

// The validation part is fold 0 of one: its rows are scored, not learnt from.
TEST(KernelLearner, ValidationRowsAreNotLearntFrom) {
  Circle data(200);
  data.problem.hold_out = HoldOut::validation(100, 100);
  const Features x = data.x;
  KernelLearner learner;
  const LearnerData given{{&x, nullptr}, &data.problem};
  const DenseMatrix scores = learner.held_out(given);
  const Scorer scorer = learner.fit(given);
  EXPECT_EQ(std::get<KernelScorer>(scorer).landmarks.cols, 100U);
  const DenseMatrix direct = scored(scorer, data.x, 2);
  for (std::size_t e = 0; e < direct.values.size(); ++e) EXPECT_EQ(scores.values[e], direct.values[e]);
}

TEST(KernelLearner, DoesNotDependOnThreads) {
  const Circle data(150);
  const Features x = data.x;
  set_threads(1);
  const DenseMatrix one = KernelLearner().held_out({{&x, nullptr}, &data.problem});
  set_threads(3);
  const DenseMatrix three = KernelLearner().held_out({{&x, nullptr}, &data.problem});
  set_threads(0);
  for (std::size_t e = 0; e < one.values.size(); ++e) ASSERT_EQ(one.values[e], three.values[e]);
}

// Two rows, columns without any difference: numbers, never a crash.
TEST(KernelLearner, SurvivesPoorData) {
  for (const std::size_t rows : {2U, 40U}) {
    Circle data(rows);
    std::fill(data.x.values.begin(), data.x.values.end(), 1.0F);
    const Features x = data.x;
    KernelLearner learner;
    const LearnerData given{{&x, nullptr}, &data.problem};
    for (const float z : learner.held_out(given).values) EXPECT_TRUE(std::isfinite(z));
    EXPECT_NO_THROW(check(std::get<KernelScorer>(learner.fit(given))));
  }
}

TEST(KernelScores, RejectsDamagedArrays) {
  const Circle data(30);
  const Features x = data.x;
  KernelLearner learner;
  const LearnerData given{{&x, nullptr}, &data.problem};
  (void)learner.held_out(given);
  const auto healthy = std::get<KernelScorer>(learner.fit(given));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  KernelScorer s = healthy;
  s.kernel.decay = -1;
  EXPECT_THROW(check(s), ModelError);
  s = healthy;
  s.landmarks.values[0] = nan;
  EXPECT_THROW(check(s), ModelError);
  s = healthy;
  s.weights = DenseMatrix(3, 2);
  EXPECT_THROW(check(s), ModelError);
  s = healthy;
  s.bias[0] = nan;
  EXPECT_THROW(check(s), ModelError);
}

}  // namespace
}  // namespace mmo
