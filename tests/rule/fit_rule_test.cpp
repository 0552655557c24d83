#include "mmo/rule/fit_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "mmo/core/error.h"
#include "mmo/core/random.h"
#include "mmo/rule/empirical_thresholds.h"
#include "mmo/rule/label_scores.h"
#include "mmo/rule/rank_curves.h"

namespace mmo {
namespace {

struct Scored {
  DenseMatrix scores;
  LabelMatrix labels;
  [[nodiscard]] Truth truth() const { return {&labels, nullptr, {}, {}}; }
};

// Calibrated logits: z ~ shift_j + spread·normal, y ~ Bernoulli(σ(z)).
Scored calibrated(std::size_t rows, const std::vector<double>& shift, std::uint64_t seed) {
  Random random(seed);
  Scored out{DenseMatrix(rows, shift.size()), {}};
  out.labels.cols = shift.size();
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::uint32_t> row;
    for (std::size_t j = 0; j < shift.size(); ++j) {
      const double z = shift[j] + 2 * random.normal();
      out.scores(i, j) = static_cast<float>(z);
      if (random.uniform() < 1 / (1 + std::exp(-z))) row.push_back(static_cast<std::uint32_t>(j));
    }
    out.labels.push_row(row);
  }
  return out;
}

double value_at(const Metric& metric, const Scored& data, std::vector<float> thresholds) {
  DecisionRule rule;
  rule.thresholds = std::move(thresholds);
  return evaluate(metric, decide(rule, data.scores), data.truth());
}

// More labels than one task has, cells unknown, rows and labels weighted.
TEST(GlobalThreshold, CountsManyLabelsWeightsAndUnknownCells) {
  Scored data = calibrated(90, std::vector<double>(37, -1.0), 4);
  LabelMatrix unknown;
  unknown.cols = 37;
  std::vector<float> row_weights;
  for (std::uint32_t i = 0; i < 90; ++i) {
    unknown.push_row(i % 4 == 0 ? std::vector<std::uint32_t>{i % 17, 20 + i % 17}
                                : std::vector<std::uint32_t>{});
    row_weights.push_back(i % 3 == 0 ? 0.5F : 2.0F);
  }
  std::vector<float> label_weights(37, 1.0F);
  label_weights[30] = 9;
  const Truth truth{&data.labels, &unknown, row_weights, label_weights};
  for (const char* name : {"micro-f1", "hamming-accuracy", "macro-f1", "samples-f1"}) {
    const Metric metric = parse_metric(name);
    const std::vector<float> candidates = threshold_candidates(data.scores, truth, 64);
    const std::vector<double> values = metric_at_thresholds(metric, data.scores, truth, candidates);
    for (std::size_t t = 0; t < candidates.size(); t += 5) {
      DecisionRule rule;
      rule.thresholds.assign(37, candidates[t]);
      EXPECT_NEAR(values[t], evaluate(metric, decide(rule, data.scores), truth), 1e-9) << name;
    }
  }
}

// The highest negatives are kept until their weight is more than the share asked for, and two more.
TEST(LabelScoresTest, WeightsDecideHowManyNegativesAreKept) {
  const Scored data = calibrated(100, {-1}, 6);
  std::vector<float> weights;
  for (std::size_t i = 0; i < 100; ++i) weights.push_back(i % 3 == 0 ? 0.25F : 2.0F);
  for_each_label_scores(
      data.scores, {&data.labels, nullptr, weights, {}}, 0.5, [&](std::size_t, LabelScores& found) {
        double positive = 0;
        for (const WeightedScore& own : found.positives) positive += own.weight;
        EXPECT_NEAR(positive, found.positive_weight, 1e-6);
        EXPECT_NEAR(positive + found.negative_weight, 34 * 0.25 + 66 * 2.0, 1e-6);
        double kept = 0;
        for (const WeightedScore& own : found.negatives) kept += own.weight;
        ASSERT_GT(found.negatives.size(), 3U);
        EXPECT_GT(kept, 0.5 * positive);
        for (std::size_t k = 0; k < 3; ++k)
          kept -= static_cast<double>(found.negatives[found.negatives.size() - 1 - k].weight);
        EXPECT_LE(kept, 0.5 * positive);
        for (std::size_t k = 1; k < found.negatives.size(); ++k)
          EXPECT_GE(found.negatives[k - 1].score, found.negatives[k].score);
      });
}

// With weights of 1 the same lists as without weights, and both as they are by definition.
TEST(LabelScoresTest, AreDividedByTruthAndSorted) {
  const Scored data = calibrated(200, std::vector<double>(20, -1.5), 5);
  LabelMatrix unknown;
  unknown.cols = 20;
  for (std::uint32_t i = 0; i < 200; ++i) unknown.push_row(std::vector<std::uint32_t>{i % 20});
  const std::vector<float> ones(200, 1.0F);
  for (const std::span<const float> weights : {std::span<const float>{}, std::span<const float>(ones)}) {
    for (const double share : {0.0, 1.5}) {
      for_each_label_scores(
          data.scores, {&data.labels, &unknown, weights, {}}, share, [&](std::size_t j, LabelScores& found) {
            std::vector<float> positives;
            std::vector<float> negatives;
            for (std::size_t i = 0; i < 200; ++i) {
              if (i % 20 == j) continue;
              const auto row = data.labels.row(i);
              (std::binary_search(row.begin(), row.end(), j) ? positives : negatives)
                  .push_back(data.scores(i, j));
            }
            std::sort(positives.rbegin(), positives.rend());
            std::sort(negatives.rbegin(), negatives.rend());
            EXPECT_EQ(found.positive_weight, static_cast<double>(positives.size()));
            EXPECT_EQ(found.negative_weight, static_cast<double>(negatives.size()));
            ASSERT_EQ(found.positives.size(), positives.size());
            if (share > 0)
              negatives.resize(
                  std::min(negatives.size(), static_cast<std::size_t>(share * found.positive_weight) + 2));
            ASSERT_GE(found.negatives.size(), negatives.size());
            for (std::size_t k = 0; k < positives.size(); ++k)
              EXPECT_EQ(found.positives[k].score, positives[k]);
            for (std::size_t k = 0; k < negatives.size(); ++k) {
              EXPECT_EQ(found.negatives[k].score, negatives[k]);
              EXPECT_EQ(found.negatives[k].weight, 1.0F);
            }
          });
    }
  }
}

TEST(GlobalThreshold, MeetsBruteForceForEveryAverage) {
  const Scored data = calibrated(120, {-1, 0, -2}, 3);
  for (const char* name : {"micro-f1", "macro-jaccard", "samples-f1", "weighted-f2", "hamming-accuracy"}) {
    const Metric metric = parse_metric(name);
    const GlobalThreshold found = best_global_threshold(metric, data.scores, data.truth());
    double best = -1;
    for (const float t : data.scores.values) best = std::max(best, value_at(metric, data, {t, t, t}));
    EXPECT_NEAR(value_at(metric, data, {found.threshold, found.threshold, found.threshold}), found.value,
                1e-12)
        << name;
    // All positives are candidates here, and the optimum is at one of them.
    EXPECT_NEAR(found.value, best, 1e-12) << name;
  }
}

TEST(LabelThresholds, MeetBruteForce) {
  const Scored data = calibrated(80, {-1, -2}, 4);
  const Metric metric = parse_metric("macro-f1");
  const auto found = best_label_thresholds(metric, data.scores, data.truth());
  double best0 = -1;
  for (std::size_t i = 0; i < data.scores.rows; ++i) {
    best0 = std::max(best0,
                     2 * value_at(metric, data, {data.scores(i, 0), std::numeric_limits<float>::infinity()}));
  }
  EXPECT_NEAR(found[0].value, best0, 1e-12);
}

TEST(RankCurves, ComeCloseToTheBestThresholdsOfAFreshSample) {
  const std::vector<double> shift{0, -2, -3, -4, -5};
  const Scored train = calibrated(3000, shift, 5);
  const Scored test = calibrated(20000, shift, 6);
  const Metric macro = parse_metric("macro-f1");
  const double fitted = value_at(macro, test, RankCurves(train.scores, train.truth()).maximise_each(macro));
  double best = 0;
  for (const auto& t : best_label_thresholds(macro, test.scores, test.truth())) best += t.value / 5;
  EXPECT_GT(fitted, best - 0.02);  // the best is chosen on the test rows themselves
  const Metric micro = parse_metric("micro-f1");
  const auto result = RankCurves(train.scores, train.truth()).maximise_sum(micro, {});
  const double reached = value_at(micro, test, result.thresholds);
  EXPECT_GT(reached, best_global_threshold(micro, test.scores, test.truth()).value - 0.01);
  EXPECT_NEAR(result.lambda, reached, 0.05);  // λ* is the metric's own value
}

TEST(RankCurves, NoLabelBecomesAlways) {
  // A label whose scores say nothing: "predict all" would be its best F1.
  Scored data = calibrated(2000, {-3, -1}, 7);
  Random random(8);
  for (std::size_t i = 0; i < data.scores.rows; ++i) data.scores(i, 0) = static_cast<float>(random.normal());
  const Metric macro = parse_metric("macro-f1");
  const auto thresholds = RankCurves(data.scores, data.truth()).maximise_each(macro);
  std::size_t predicted = 0;
  for (std::size_t i = 0; i < data.scores.rows; ++i)
    predicted += data.scores(i, 0) >= thresholds[0] ? 1U : 0U;
  const std::size_t positives = transpose(data.labels).row(0).size();
  EXPECT_LE(predicted, 31 * positives + 31);
}

TEST(FitRule, NeverPredictsWhatItMayNot) {
  const Scored data = calibrated(200, {1, 1, 1}, 9);
  for (const char* name : {"micro-f1", "macro-f1", "samples-f1"}) {
    RuleOptions options;
    options.min_labels = 1;
    options.trainable = {1, 0, 1};
    const FittedRule fitted = fit_rule(parse_metric(name), data.scores, data.truth(), options);
    for (const std::uint32_t j : decide(fitted.rule, data.scores).indices) EXPECT_NE(j, 1U) << name;
  }
}

TEST(FitRule, AtLeastOneLabelIsChosenOnlyIfItPays) {
  // Every row has exactly one label, scores are shy: an empty row is always wrong.
  Scored data = calibrated(300, {-3, -3}, 10);
  LabelMatrix one;
  one.cols = 2;
  for (std::size_t i = 0; i < 300; ++i)
    one.push_row(std::vector<std::uint32_t>{data.scores(i, 0) > data.scores(i, 1) ? 0U : 1U});
  data.labels = one;
  RuleOptions options;
  options.kind = RuleKind::zero;
  EXPECT_EQ(fit_rule(parse_metric("micro-f1"), data.scores, data.truth(), options).rule.min_labels, 1U);
}

TEST(ParseRule, UnknownNamesListTheCandidates) {
  EXPECT_EQ(parse_rule("per-label"), RuleKind::per_label);
  try {
    (void)parse_rule("best");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("curves"), std::string::npos);
  }
}

}  // namespace
}  // namespace mmo
