#include "mmo/metric/metric.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mmo/core/error.h"
#include "mmo/core/random.h"

namespace mmo {
namespace {

constexpr double kExact = 1e-15;  // sums of a few doubles of order 1

void expect_paper_form(const CountWeights& w, const std::array<double, 4>& expected) {
  const auto mu = to_paper_form(w);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(mu[k], expected[k], kExact);
}

CountRatio ratio_of(const std::string& name) { return parse_metric(name).ratios.at(0); }

TEST(PaperForm, MatchesTheTableOfNamedMetrics) {
  expect_paper_form(ratio_of("f1").numerator, {.5, .5, .5, .5});
  expect_paper_form(ratio_of("f1").denominator, {0, .5, .5, 1});
  const double b = 4;  // f2: b = β²
  expect_paper_form(ratio_of("f2").numerator, {(1 + b) / 4, (1 + b) / 4, (1 + b) / 4, (1 + b) / 4});
  expect_paper_form(ratio_of("f2").denominator, {0, b / 2, .5, (1 + b) / 2});
  expect_paper_form(ratio_of("jaccard").numerator, {.25, .25, .25, .25});
  // Erratum 1: the paper prints ¼·(1, 1, −1, 3).
  expect_paper_form(ratio_of("jaccard").denominator, {-.25, .25, .25, .75});
  expect_paper_form(ratio_of("hamming-accuracy").numerator, {.5, 0, 0, .5});
  expect_paper_form(ratio_of("hamming-accuracy").denominator, {0, 0, 0, 1});
  expect_paper_form(ratio_of("precision").denominator, {0, 0, .5, .5});
  expect_paper_form(ratio_of("recall").denominator, {0, .5, 0, .5});
}

TEST(PaperForm, RoundTripAndDefinition) {
  Random random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const CountWeights w{random.normal(), random.normal(), random.normal(), random.normal()};
    const auto mu = to_paper_form(w);
    const CountWeights back = from_paper_form(mu);
    EXPECT_NEAR(back.tp, w.tp, 1e-14);
    EXPECT_NEAR(back.fp, w.fp, 1e-14);
    EXPECT_NEAR(back.fn, w.fn, 1e-14);
    EXPECT_NEAR(back.tn, w.tn, 1e-14);
    // ℓ_μ = μ¹ŷy + μ²y + μ³ŷ + μ⁴ on the four cells
    const auto cell = [&](double predicted, double truth) {
      return mu[0] * predicted * truth + mu[1] * truth + mu[2] * predicted + mu[3];
    };
    EXPECT_NEAR(cell(1, 1), w.tp, 1e-14);
    EXPECT_NEAR(cell(1, -1), w.fp, 1e-14);
    EXPECT_NEAR(cell(-1, 1), w.fn, 1e-14);
    EXPECT_NEAR(cell(-1, -1), w.tn, 1e-14);
  }
}

TEST(RatioValue, ZeroDivision) {
  const CountRatio f1 = ratio_of("f1");
  const Counts nothing{.tp = 0, .fp = 0, .fn = 0, .tn = 5};
  EXPECT_EQ(ratio_value(f1, nothing, 0), 0);
  EXPECT_EQ(ratio_value(f1, nothing, 1), 1);
  EXPECT_TRUE(std::isnan(ratio_value(f1, nothing, std::numeric_limits<double>::quiet_NaN())));
  EXPECT_DOUBLE_EQ(ratio_value(f1, {.tp = 3, .fp = 1, .fn = 2, .tn = 0}, 0), 6.0 / 9);
}

TEST(ValueRange, NamedMetricsLieInUnitInterval) {
  for (const std::string& name : known_metrics()) {
    const Range range = value_range(ratio_of(name));
    EXPECT_EQ(range.low, 0) << name;
    EXPECT_EQ(range.high, 1) << name;
  }
}

TEST(ValueRange, CustomMetricsMayLeaveIt) {
  const Range range = value_range(ratio_of("(2TP - FP) / (TP + FP + FN)"));
  EXPECT_EQ(range.low, -1);
  EXPECT_EQ(range.high, 2);
  const CountRatio net_benefit = ratio_of("(TP - FP) / (TP + FN)");
  EXPECT_EQ(value_range(net_benefit).low, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(value_range(net_benefit).high, 1);
  const Range bounded = value_range(net_benefit, 10, 30);
  EXPECT_DOUBLE_EQ(bounded.low, -3);
  EXPECT_DOUBLE_EQ(bounded.high, 1);
}

TEST(ValueRange, GivenDataHoldsForEveryPrediction) {
  Random random(2);
  for (const char* name : {"f1", "precision", "(TP - 2FP)/(TP+FN)", "(TP+3TN)/(2TP+FP+FN+4TN)"}) {
    const CountRatio ratio = ratio_of(name);
    const Range range = value_range(ratio, 7, 11);
    double low = 1e9;
    double high = -1e9;
    for (int tp = 0; tp <= 7; ++tp) {
      for (int fp = 0; fp <= 11; ++fp) {
        const Counts c{.tp = 1.0 * tp, .fp = 1.0 * fp, .fn = 7.0 - tp, .tn = 11.0 - fp};
        if (combine(ratio.denominator, c) == 0) continue;
        low = std::min(low, ratio_value(ratio, c, 0));
        high = std::max(high, ratio_value(ratio, c, 0));
      }
    }
    EXPECT_DOUBLE_EQ(range.low, low) << name;
    EXPECT_DOUBLE_EQ(range.high, high) << name;
  }
}

TEST(TrivialAnswer, NamesIt) {
  EXPECT_EQ(trivial_answer(parse_metric("micro-recall")), "predict everything");
  EXPECT_EQ(trivial_answer(parse_metric("macro-precision")), "predict nothing but the surest label");
  EXPECT_EQ(trivial_answer(parse_metric("specificity")), "predict nothing");
  EXPECT_EQ(trivial_answer(parse_metric("TP/(TP+FP+FN+TN)")), "predict everything");
  for (const char* name : {"f1", "f0.5", "jaccard", "hamming-accuracy", "(TP-FP)/(TP+FN)"}) {
    EXPECT_EQ(trivial_answer(parse_metric(name)), "") << name;
  }
}

TEST(Formula, IsReadable) {
  EXPECT_EQ(formula(ratio_of("f1")), "2·TP / (2·TP + FP + FN)");
  EXPECT_EQ(formula(ratio_of("hamming-accuracy")), "(TP + TN) / (TP + FP + FN + TN)");
  EXPECT_EQ(formula(ratio_of("(TP - 0.5FP)/(TP+FN)")), "(TP − 0.5·FP) / (TP + FN)");
}

TEST(RequireLabels, NamesBothSizes) {
  Metric metric = parse_metric("f1");
  EXPECT_NO_THROW(require_labels(metric, 7));
  metric.ratios.resize(3, metric.ratios[0]);
  EXPECT_NO_THROW(require_labels(metric, 3));
  EXPECT_THROW(require_labels(metric, 4), UsageError);
}

}  // namespace
}  // namespace mmo
