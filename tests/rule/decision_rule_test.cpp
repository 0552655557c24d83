#include "mmo/rule/decision_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mmo/core/parallel.h"
#include "mmo/core/random.h"

namespace mmo {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
const CountRatio f1{{2, 0, 0, 0}, {2, 1, 1, 0}};
const CountRatio jaccard{{1, 0, 0, 0}, {1, 1, 1, 0}};
const CountRatio accuracy{{1, 0, 0, 1}, {1, 1, 1, 1}};
const CountRatio rewards_false_positives{{1, 3, 0, 0}, {1, 1, 2, 1}};
const CountRatio specificity{{0, 0, 0, 1}, {0, 1, 0, 1}};

using Labels = std::vector<std::uint32_t>;

Labels decided(const DecisionRule& rule, const std::vector<float>& scores) {
  Labels out;
  decide_row(rule, scores, out);
  return out;
}

DecisionRule by_thresholds(std::vector<float> thresholds, std::size_t least = 0, std::size_t most = 0) {
  DecisionRule rule;
  rule.thresholds = std::move(thresholds);
  rule.min_labels = least;
  rule.max_labels = most;
  return rule;
}

DecisionRule expected(const CountRatio& ratio, std::vector<float> thresholds = {}, std::size_t least = 0,
                      std::size_t most = 0) {
  DecisionRule rule = by_thresholds(std::move(thresholds), least, most);
  rule.kind = DecisionRule::Kind::expected_count;
  rule.ratio = ratio;
  return rule;
}

TEST(Thresholds, PredictsAtAndAboveTheThreshold) {
  EXPECT_EQ(decided(by_thresholds({0, 1, -1}), {0, 0.99F, -0.5F}), (Labels{0, 2}));
  EXPECT_EQ(decided(by_thresholds({inf, -inf}), {100, -100}), (Labels{1}));
  EXPECT_EQ(decided(by_thresholds({inf, inf}), {inf, 1}), (Labels{}));
}

TEST(Thresholds, EveryNumberOfLabels) {
  Random random(3);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values = {-inf, -1, -1, 0, 0, 1, 1, inf, nan};
  for (std::size_t labels = 0; labels <= 50; ++labels) {
    for (int k = 0; k < 50; ++k) {
      std::vector<float> scores(labels);
      std::vector<float> thresholds(labels);
      Labels expected;
      for (std::size_t j = 0; j < labels; ++j) {
        scores[j] = values[random.below(values.size())];
        thresholds[j] = random.below(4) == 0 ? values[random.below(values.size() - 1)] : 1.0F;
        if (scores[j] >= thresholds[j] && thresholds[j] != inf)
          expected.push_back(static_cast<std::uint32_t>(j));
      }
      EXPECT_EQ(decided(by_thresholds(thresholds), scores), expected);
    }
  }
}

TEST(Thresholds, MinLabelsTakesTheNearestToItsThreshold) {
  EXPECT_EQ(decided(by_thresholds({5, 1, 0}, 1), {4, 0.5F, -0.4F}), (Labels{2}));
  EXPECT_EQ(decided(by_thresholds({5, 1, 0}, 2), {4, 0.5F, -0.4F}), (Labels{1, 2}));
  EXPECT_EQ(decided(by_thresholds({inf, 1, inf}, 3), {4, 0.5F, -0.4F}), (Labels{1}));
  // ties go to the lower label
  EXPECT_EQ(decided(by_thresholds({1, 1, 1}, 1), {0, 0, 0}), (Labels{0}));
}

TEST(Thresholds, MaxLabelsKeepsTheLargestMargins) {
  EXPECT_EQ(decided(by_thresholds({0, 3, 0, 0}, 0, 2), {1, 5, 3, -1}), (Labels{1, 2}));
  EXPECT_EQ(decided(by_thresholds({0, -inf, 0}, 0, 1), {9, -9, 9}), (Labels{1}));
  EXPECT_EQ(decided(by_thresholds({0, 0, 0}, 2, 1), {-1, -2, -3}), (Labels{0}));
}

// All k, full sort, counts written out.
Labels brute_force(const DecisionRule& rule, const std::vector<float>& scores) {
  const std::size_t l = scores.size();
  std::vector<double> p(l);
  for (std::size_t j = 0; j < l; ++j) p[j] = 1 / (1 + std::exp(-double{scores[j]}));
  Labels order;
  std::size_t forced = 0;
  const auto threshold = [&](std::size_t j) { return rule.thresholds.empty() ? 0.0F : rule.thresholds[j]; };
  for (std::uint32_t j = 0; j < l; ++j) {
    if (threshold(j) == inf) continue;
    order.push_back(j);
    forced += threshold(j) == -inf ? 1 : 0;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const bool always_a = threshold(a) == -inf;
    const bool always_b = threshold(b) == -inf;
    return always_a != always_b ? always_a : !always_a && scores[a] > scores[b];
  });
  const std::size_t most = rule.max_labels > 0 ? std::min(rule.max_labels, order.size()) : order.size();
  const std::size_t least = std::min(std::max(rule.min_labels, forced), most);
  const double total = std::accumulate(p.begin(), p.end(), 0.0);
  double best = -1e300;
  std::size_t best_k = least;
  for (std::size_t k = least; k <= most; ++k) {
    Counts counts;
    for (std::size_t i = 0; i < k; ++i) counts.tp += p[order[i]];
    counts.fp = static_cast<double>(k) - counts.tp;
    counts.fn = total - counts.tp;
    counts.tn = static_cast<double>(l - k) - counts.fn;
    const double below = combine(rule.ratio.denominator, counts);
    const double value = below > 0 ? combine(rule.ratio.numerator, counts) / below : 0;
    if (value > best + 1e-12) {
      best = value;
      best_k = k;
    }
  }
  order.resize(best_k);
  std::sort(order.begin(), order.end());
  return order;
}

TEST(ExpectedCount, EqualsTheSearchOverAllCounts) {
  Random random(11);
  for (const CountRatio& ratio : {f1, jaccard, accuracy, rewards_false_positives, specificity}) {
    for (int trial = 0; trial < 300; ++trial) {
      const std::size_t l = 1 + random.below(150);
      std::vector<float> scores(l);
      const double shift = 4 * random.normal();
      for (float& z : scores) z = static_cast<float>(2 * random.normal() + shift);
      std::vector<float> thresholds;
      if (random.uniform() < 0.5) {
        for (std::size_t j = 0; j < l; ++j) {
          const double u = random.uniform();
          thresholds.push_back(u < 0.1 ? inf : u < 0.2 ? -inf : 0.0F);
        }
      }
      const std::size_t least = random.below(4);
      const std::size_t most = random.uniform() < 0.5 ? 0 : 1 + random.below(40);
      const DecisionRule rule = expected(ratio, thresholds, least, most);
      ASSERT_EQ(decided(rule, scores), brute_force(rule, scores)) << "trial " << trial;
    }
  }
}

TEST(ExpectedCount, F1OfSureLabels) {
  EXPECT_EQ(decided(expected(f1), {9, 8, -9, 7, -8}), (Labels{0, 1, 3}));
  EXPECT_EQ(decided(expected(accuracy), {-1, -2, -3}), (Labels{}));
  EXPECT_EQ(decided(expected(accuracy, {}, 1), {-1, -2, -3}), (Labels{0}));
}

TEST(Decide, AllRowsAnyThreads) {
  Random random(5);
  DenseMatrix scores(1000, 20);
  for (float& z : scores.values) z = static_cast<float>(random.normal());
  const DecisionRule rule = expected(f1, {}, 1, 4);
  set_threads(1);
  const LabelMatrix one = decide(rule, scores);
  set_threads(4);
  const LabelMatrix four = decide(rule, scores);
  set_threads(0);
  EXPECT_EQ(one.offsets, four.offsets);
  EXPECT_EQ(one.indices, four.indices);
  EXPECT_EQ(one.rows, 1000U);
  EXPECT_EQ(one.cols, 20U);
  for (std::size_t i = 0; i < one.rows; ++i) {
    EXPECT_GE(one.row(i).size(), 1U);
    EXPECT_LE(one.row(i).size(), 4U);
    EXPECT_TRUE(std::is_sorted(one.row(i).begin(), one.row(i).end()));
  }
}

TEST(Decide, IsDecideRowOfEachRow) {
  Random random(6);
  DenseMatrix scores(600, 20);  // three tasks
  for (float& z : scores.values) z = static_cast<float>(random.normal());
  for (const DecisionRule& rule :
       {by_thresholds(std::vector<float>(20, 1.2F), 1, 3), expected(f1, {}, 2, 3)}) {
    const LabelMatrix all = decide(rule, scores);
    ASSERT_EQ(all.rows, scores.rows);
    Labels own;
    for (std::size_t i = 0; i < scores.rows; ++i) {
      decide_row(rule, scores.row(i), own);
      EXPECT_EQ(Labels(all.row(i).begin(), all.row(i).end()), own) << i;
    }
  }
}

TEST(Decide, NotANumberIsNeverPredictedFirst) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(decided(by_thresholds({0, 0, 0}, 1), {nan, -2, -1}), (Labels{2}));
}

}  // namespace
}  // namespace mmo
