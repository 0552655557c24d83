#include "mmo/rule/margins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mmo/core/random.h"

namespace mmo {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
const CountRatio f1{{2, 0, 0, 0}, {2, 1, 1, 0}};

std::vector<float> margins_of(const DecisionRule& rule, const std::vector<float>& scores) {
  std::vector<float> out(scores.size());
  margin_row(rule, scores, out);
  return out;
}

DecisionRule by_thresholds(std::vector<float> thresholds, std::size_t least = 0, std::size_t most = 0) {
  DecisionRule rule;
  rule.thresholds = std::move(thresholds);
  rule.min_labels = least;
  rule.max_labels = most;
  return rule;
}

TEST(Margins, ThresholdsAloneGiveTheDistance) {
  EXPECT_EQ(margins_of(by_thresholds({1, -1, 0}), {2, -3, 0.5F}), (std::vector<float>{1, -2, 0.5F}));
}

TEST(Margins, AtTheThresholdIsAbove) {
  EXPECT_EQ(margins_of(by_thresholds({1, 1}), {1, 0}), (std::vector<float>{least_margin, -1}));
}

TEST(Margins, NeverAndAlways) {
  constexpr auto most = static_cast<float>(largest_logit);
  EXPECT_EQ(margins_of(by_thresholds({inf, -inf, 0}), {9, -9, 1}), (std::vector<float>{-most, most, 1}));
}

TEST(Margins, ARowFilledUpHasAThresholdOfItsOwn) {
  const auto found = margins_of(by_thresholds({0, 0, 0}, 1), {-1, -2, -4});
  EXPECT_EQ(found, (std::vector<float>{0.5F, -0.5F, -2.5F}));  // halfway between −1 and −2
}

// Random rules of every kind, with ties, forbidden and forced labels and limits.
TEST(Margins, SignIsTheDecision) {
  Random random(3);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t labels = 1 + random.below(8);
    DecisionRule rule = by_thresholds({}, random.below(3), random.below(4));
    if (random.below(2) == 1) {
      rule.kind = DecisionRule::Kind::expected_count;
      rule.ratio = f1;
    }
    std::vector<float> scores(labels);
    for (float& z : scores) {
      z = static_cast<float>(static_cast<int>(random.below(9)) - 4);  // whole numbers: ties are common
      const std::uint64_t special = random.below(10);
      rule.thresholds.push_back(special == 0 ? inf : special == 1 ? -inf : z - 2 + random.below(5));
    }
    std::vector<std::uint32_t> labels_taken;
    decide_row(rule, scores, labels_taken);
    const auto found = margins_of(rule, scores);
    for (std::uint32_t j = 0; j < labels; ++j) {
      const bool taken = std::find(labels_taken.begin(), labels_taken.end(), j) != labels_taken.end();
      ASSERT_EQ(found[j] > 0, taken) << "round " << round << ", label " << j;
      ASSERT_GE(std::fabs(found[j]), least_margin);
      ASSERT_TRUE(std::isfinite(found[j]));
    }
  }
}

TEST(Margins, RowsOfAMatrix) {
  DenseMatrix scores(600, 2);
  for (std::size_t i = 0; i < scores.rows; ++i) scores(i, 0) = static_cast<float>(i) - 300.5F;
  const DenseMatrix found = margins(by_thresholds({0, 1}), scores);
  for (std::size_t i = 0; i < scores.rows; ++i) {
    EXPECT_EQ(found(i, 0), scores(i, 0));
    EXPECT_EQ(found(i, 1), -1);
  }
}

}  // namespace
}  // namespace mmo
