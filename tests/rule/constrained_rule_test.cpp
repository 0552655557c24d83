#include "mmo/rule/constrained_rule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mmo/core/error.h"
#include "mmo/core/random.h"

namespace mmo {
namespace {

// Labels of different difficulty and frequency; scores are noisy logits.
struct Scored {
  DenseMatrix scores;
  LabelMatrix labels;
  std::vector<std::uint32_t> fold_of_row;
  [[nodiscard]] Truth truth() const { return {&labels, nullptr, {}, {}}; }
};

Scored scored(std::size_t rows, std::size_t labels, std::uint64_t seed, double skew = 0) {
  Scored out;
  Random random(seed);
  out.scores = DenseMatrix(rows, labels);
  out.labels.cols = labels;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::uint32_t> present;
    for (std::size_t j = 0; j < labels; ++j) {
      const double share = 0.1 + 0.4 * static_cast<double>(j) / static_cast<double>(labels);
      const bool is_present = random.uniform() < share;
      if (is_present) present.push_back(static_cast<std::uint32_t>(j));
      const double shift = skew * (static_cast<double>(j) - 0.5 * static_cast<double>(labels));
      out.scores(i, j) = static_cast<float>(shift + (is_present ? 1.0 : -1.0) + random.normal());
    }
    out.labels.push_row(present);
    out.fold_of_row.push_back(static_cast<std::uint32_t>(i % 5));
  }
  return out;
}

double value(const std::string& metric, const DecisionRule& rule, const Scored& data) {
  return evaluate(parse_metric(metric), decide(rule, data.scores), data.truth());
}

TEST(ParseConstraint, ReadsMetricSignAndBound) {
  const Constraint c = parse_constraint("macro-precision >= 0.9");
  EXPECT_EQ(c.metric.average, Average::macro);
  EXPECT_TRUE(c.at_least);
  EXPECT_DOUBLE_EQ(c.bound, 0.9);
  EXPECT_FALSE(parse_constraint("(FP)/(FP+TN)<=0.05").at_least);
}

TEST(ParseConstraint, RefusesWhatItCannotRead) {
  for (const char* text : {"precision", "precision>0.9", ">=0.9", "precision>=", "precision>=high",
                           "precision>=nan", "precisio>=0.9"}) {
    EXPECT_THROW(static_cast<void>(parse_constraint(text)), UsageError) << text;
  }
}

struct Goal {
  const char* objective;
  const char* constraint;
};

class ConstrainedGoal : public ::testing::TestWithParam<Goal> {};

INSTANTIATE_TEST_SUITE_P(Goals, ConstrainedGoal,
                         ::testing::Values(Goal{"recall", "precision>=0.8"}, Goal{"precision", "recall>=0.8"},
                                           Goal{"macro-recall", "macro-precision>=0.8"},
                                           Goal{"micro-recall", "macro-precision>=0.75"},
                                           Goal{"samples-recall", "samples-precision>=0.55"},
                                           Goal{"macro-f1", "micro-precision>=0.8"},
                                           Goal{"f1", "(FP)/(FP+TN)<=0.05"}),
                         [](const auto& test) { return "goal" + std::to_string(test.index); });

// The condition holds where it was asked for, and on fresh rows up to their own noise.
TEST_P(ConstrainedGoal, IsMetAndNotBeatenByAnyGlobalThreshold) {
  const Scored data = scored(800, 5, 1);
  const Scored fresh = scored(4000, 5, 2);
  const Metric objective = parse_metric(GetParam().objective);
  const Constraint constraint = parse_constraint(GetParam().constraint);
  const ConstrainedRule fitted =
      fit_constrained_rule(objective, constraint, data.scores, data.truth(), {data.fold_of_row, {}});
  const double sign = constraint.at_least ? 1 : -1;
  EXPECT_GE(sign * fitted.constraint, sign * constraint.bound + fitted.margin - 1e-9);
  EXPECT_NEAR(fitted.value, evaluate(objective, decide(fitted.rule, data.scores), data.truth()), 1e-12);
  // 0.02: about three standard errors of these ratios over 4,000 rows and 5 labels.
  EXPECT_GE(sign * evaluate(constraint.metric, decide(fitted.rule, fresh.scores), fresh.truth()),
            sign * constraint.bound - 0.02);
  if (fitted.per_label) return;
  for (float t = -3; t < 3; t += 0.1F) {
    DecisionRule rule;
    rule.thresholds.assign(5, t);
    const LabelMatrix predicted = decide(rule, data.scores);
    if (sign * evaluate(constraint.metric, predicted, data.truth()) < sign * constraint.bound + fitted.margin)
      continue;
    // 1/512 of the positives lie between neighbouring candidates.
    EXPECT_LE(evaluate(objective, predicted, data.truth()), fitted.value + 0.01);
  }
}

// Scores whose scale differs by label: one threshold for all can't serve macro goals.
TEST(ConstrainedRule, ThresholdsPerLabelWhereTheyPay) {
  const Scored data = scored(1500, 5, 3, 1.0);
  const Constraint constraint = parse_constraint("macro-precision>=0.7");
  const ConstrainedRule fitted = fit_constrained_rule(parse_metric("macro-recall"), constraint, data.scores,
                                                      data.truth(), {data.fold_of_row, {}});
  EXPECT_TRUE(fitted.per_label);
  EXPECT_GT(fitted.value,
            constrained_value(parse_metric("macro-recall"), constraint, data.scores, data.truth()) + 0.05);
  EXPECT_GE(value("macro-precision", fitted.rule, data), 0.7);
}

TEST(ConstrainedRule, SaysWhatToExpectOfNewRows) {
  const Scored data = scored(500, 4, 21);
  const Scored fresh = scored(4000, 4, 22);
  const Constraint c = parse_constraint("precision>=0.85");
  const Metric f1 = parse_metric("f1");
  const ConstrainedRule fitted =
      fit_constrained_rule(f1, c, data.scores, data.truth(), {data.fold_of_row, {}});
  ASSERT_TRUE(fitted.held_out.has_value());
  EXPECT_LT(fitted.held_out->interval.low, fitted.held_out->constraint);
  EXPECT_GT(fitted.held_out->interval.high, fitted.held_out->constraint);
  const double reached = value("precision", fitted.rule, fresh);
  EXPECT_GT(reached, fitted.held_out->interval.low);
  EXPECT_LT(reached, fitted.held_out->interval.high);
}

TEST(ConstrainedRule, WarnsWhereNewRowsMayMissTheBoundOrNothingIsPredicted) {
  const Metric f1 = parse_metric("f1");
  const Constraint c = parse_constraint("precision>=0.9");
  ConstrainedRule fitted;
  fitted.value = 0.6;
  fitted.unbound = 0.7;
  fitted.held_out = {.objective = 0.6, .constraint = 0.91, .interval = {0.88, 0.94}};
  EXPECT_TRUE(constraint_warnings(f1, c, fitted).empty());
  fitted.held_out->constraint = 0.88;
  ASSERT_EQ(constraint_warnings(f1, c, fitted).size(), 1U);
  EXPECT_NE(constraint_warnings(f1, c, fitted)[0].find("may not hold on new rows"), std::string::npos);
  fitted.value = 0.036;
  ASSERT_EQ(constraint_warnings(f1, c, fitted).size(), 2U);
  EXPECT_NE(constraint_warnings(f1, c, fitted)[0].find("leaves micro-f1 at 0.0360, where 0.7000"),
            std::string::npos);
  const Constraint at_most = parse_constraint("(FP)/(FP+TN)<=0.05");
  fitted.value = 0.6;
  fitted.held_out = {.objective = 0.6, .constraint = 0.04, .interval = {0.03, 0.06}};
  EXPECT_TRUE(constraint_warnings(f1, at_most, fitted).empty());
  fitted.held_out->constraint = 0.06;
  EXPECT_EQ(constraint_warnings(f1, at_most, fitted).size(), 1U);
}

TEST(ConstrainedRule, AnUnreachableBoundNamesTheBestValue) {
  const Scored data = scored(500, 3, 4);
  try {
    static_cast<void>(fit_constrained_rule(parse_metric("precision"), parse_constraint("jaccard>=0.97"),
                                           data.scores, data.truth(), {data.fold_of_row, {}}));
    FAIL() << "nothing was thrown";
  } catch (const UsageError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("jaccard>=0.97"), std::string::npos) << text;
    EXPECT_NE(text.find("0.5"), std::string::npos) << text;  // about .58
  }
  EXPECT_LT(constrained_value(parse_metric("precision"), parse_constraint("jaccard>=0.97"), data.scores,
                              data.truth()),
            -1);
}

TEST(ConstrainedRule, LabelsThatMayNotBePredictedStayOut) {
  const Scored data = scored(500, 3, 5);
  const ConstrainedRule fitted =
      fit_constrained_rule(parse_metric("recall"), parse_constraint("precision>=0.6"), data.scores,
                           data.truth(), {data.fold_of_row, {1, 0, 1}});
  EXPECT_TRUE(std::isinf(fitted.rule.thresholds[1]));
  for (std::size_t i = 0; i < data.scores.rows; ++i) {
    std::vector<std::uint32_t> labels;
    decide_row(fitted.rule, data.scores.row(i), labels);
    for (const std::uint32_t j : labels) EXPECT_NE(j, 1U);
  }
}

// Without label 1 no decision reaches a recall of .95: its positives can't count as found.
TEST(ConstrainedRule, LabelsThatMayNotBePredictedCountAsMissed) {
  const Scored data = scored(500, 3, 5);
  const std::vector<char> trainable{1, 0, 1};
  for (const char* text : {"recall>=0.95", "macro-recall>=0.95", "samples-recall>=0.95"}) {
    const Constraint constraint = parse_constraint(text, 1.0);  // rows without labels miss nothing
    EXPECT_LT(constrained_value(parse_metric("precision"), constraint, data.scores, data.truth(), trainable),
              -1)
        << text;
    EXPECT_GT(constrained_value(parse_metric("precision"), constraint, data.scores, data.truth()), 0) << text;
    EXPECT_THROW(static_cast<void>(fit_constrained_rule(parse_metric("precision"), constraint, data.scores,
                                                        data.truth(), {data.fold_of_row, trainable})),
                 UsageError)
        << text;
  }
}

}  // namespace
}  // namespace mmo
