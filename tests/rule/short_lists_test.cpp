// Rules fitted on short lists: on lists of full length they are those of the dense scores.
#include "mmo/core/short_lists.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mmo/core/random.h"
#include "mmo/rule/empirical_thresholds.h"
#include "mmo/rule/fit_rule.h"
#include "mmo/rule/rank_curves.h"

namespace mmo {
namespace {

constexpr std::size_t rows = 300, labels = 12;

struct Case {
  DenseMatrix scores{rows, labels};
  LabelMatrix y, unknown;
  std::vector<float> row_weights, label_weights;
  [[nodiscard]] Truth truth() const { return {&y, &unknown, row_weights, label_weights}; }
};

// Calibrated logits, labels from frequent to rare, some cells unknown, rows and labels weighted.
Case random_case(std::uint64_t seed) {
  Random random(seed);
  Case out;
  out.y.cols = out.unknown.cols = labels;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::uint32_t> own, missing;
    for (std::uint32_t j = 0; j < labels; ++j) {
      const double z = -0.4 * j + 2 * random.normal();
      out.scores(i, j) = static_cast<float>(z);
      if (random.uniform() < 1 / (1 + std::exp(-z))) own.push_back(j);
      if (random.uniform() < 0.05) missing.push_back(j);
    }
    out.y.push_row(own);
    out.unknown.push_row(missing);
    out.row_weights.push_back(i % 3 == 0 ? 0.5F : 1.25F);
  }
  for (std::size_t j = 0; j < labels; ++j) out.label_weights.push_back(j % 2 == 0 ? 1.0F : 2.0F);
  return out;
}

void expect_same(const Metric& metric, const RuleOptions& options, const Case& data) {
  const FittedRule dense = fit_rule(metric, data.scores, data.truth(), options);
  const ShortLists lists = short_lists(data.scores, labels);
  const FittedRule listed = fit_rule(metric, lists, data.truth(), options);
  EXPECT_EQ(listed.rule.thresholds, dense.rule.thresholds) << metric.name;
  EXPECT_EQ(listed.rule.min_labels, dense.rule.min_labels) << metric.name;
  EXPECT_DOUBLE_EQ(listed.value, dense.value) << metric.name;
  EXPECT_EQ(decide(listed.rule, lists).indices, decide(dense.rule, data.scores).indices) << metric.name;
}

TEST(RulesOnShortLists, OfFullLengthAreThoseOfDenseScores) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Case data = random_case(seed);
    for (const char* name : {"micro-f1", "macro-f1", "samples-f1", "weighted-jaccard", "micro-precision"})
      expect_same(parse_metric(name), {}, data);
    for (const RuleKind kind : {RuleKind::zero, RuleKind::global, RuleKind::per_label, RuleKind::curves}) {
      RuleOptions options;
      options.kind = kind;
      expect_same(parse_metric("micro-f1"), options, data);
    }
  }
}

TEST(RulesOnShortLists, PositivesThatNoListHoldsAreMissed) {
  const Case data = random_case(4);
  const Truth truth = data.truth();
  const ShortLists lists = short_lists(data.scores, 3);
  DenseMatrix cut(rows, labels, -100.0F);
  for (std::size_t i = 0; i < rows; ++i) {
    for (const auto& [label, score] : lists.row(i)) cut(i, label) = score;
  }
  const Metric macro = parse_metric("macro-f1");
  const auto listed = best_label_thresholds(macro, lists, truth);
  const auto dense = best_label_thresholds(macro, cut, truth);
  for (std::size_t j = 0; j < labels; ++j) {
    if (dense[j].threshold > -50) {
      EXPECT_EQ(listed[j].threshold, dense[j].threshold);
      EXPECT_DOUBLE_EQ(listed[j].value, dense[j].value);
    }
  }
  const auto curves = RankCurves(lists, truth).maximise_each(macro);
  for (const float threshold : curves) EXPECT_TRUE(std::isfinite(threshold));
}

TEST(RulesOnShortLists, NoRowGetsMoreLabelsThanTheLimit) {
  const Case data = random_case(5);
  for (const char* name : {"micro-f1", "macro-f1", "samples-f1"}) {
    const Metric metric = parse_metric(name);
    RuleOptions options;
    options.max_labels = 2;
    const FittedRule limited = fit_rule(metric, data.scores, data.truth(), options);
    const LabelMatrix predicted = decide(limited.rule, data.scores);
    for (std::size_t i = 0; i < rows; ++i) EXPECT_LE(predicted.row(i).size(), 2U);
    EXPECT_DOUBLE_EQ(limited.value, evaluate(metric, predicted, data.truth()));

    // Fitting under the limit is no worse than cutting what was fitted without.
    DecisionRule cut = fit_rule(metric, data.scores, data.truth(), {}).rule;
    cut.max_labels = 2;
    EXPECT_GE(limited.value, evaluate(metric, decide(cut, data.scores), data.truth()) - 1e-12);
  }
}

// Recall alone would take every label: with a limit it takes the best ones.
TEST(RulesOnShortLists, RecallWithALimitTakesAsManyAsAllowed) {
  const Case data = random_case(6);
  RuleOptions options;
  options.max_labels = 3;
  const FittedRule fitted = fit_rule(parse_metric("micro-recall"), data.scores, data.truth(), options);
  const LabelMatrix predicted = decide(fitted.rule, data.scores);
  std::size_t full = 0;
  for (std::size_t i = 0; i < rows; ++i) full += predicted.row(i).size() == 3 ? 1 : 0;
  EXPECT_GT(full, rows * 9 / 10);
}

}  // namespace
}  // namespace mmo
