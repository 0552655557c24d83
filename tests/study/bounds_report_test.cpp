#include "study/bounds_report.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mmo/data/generate.h"

namespace mmo::study {
namespace {

Dataset data_of(std::size_t rows) {
  GenerateOptions options;
  options.rows = rows;
  options.features = 8;
  options.labels = 6;
  return generate_dataset(options);
}

// F1's denominator 2TP + FP + FN: least with nothing predicted (all FN), greatest with everything predicted.
TEST(Bounds, BetaFollowsFromTheLabelFrequencies) {
  const Dataset data = data_of(400);
  const BoundsReport report = compute_bounds(data, parse_metric("micro-f1"), 0.05, 0);
  const double share = static_cast<double>(data.y.positives()) / static_cast<double>(data.rows());
  EXPECT_NEAR(report.beta_low, share, 1e-12);
  EXPECT_NEAR(report.beta_high, share + static_cast<double>(data.labels()), 1e-12);
  EXPECT_NEAR(report.scan_gap, 2 * report.epsilon / report.beta_low, 1e-9);
  EXPECT_NEAR(report.bisection_gap, 2 * report.scan_gap, 1e-9);
  EXPECT_EQ(report.labels, data.labels());
  EXPECT_EQ(report.problems, 1U);
  EXPECT_DOUBLE_EQ(report.net, 400);
}

TEST(Bounds, MacroIsOneLabelAtATime) {
  const BoundsReport report = compute_bounds(data_of(400), parse_metric("macro-jaccard"), 0.05, 0);
  EXPECT_EQ(report.labels, 1U);
  EXPECT_EQ(report.problems, 6U);
}

TEST(Bounds, SayWhetherTheyAreInformative) {
  const BoundsReport report = compute_bounds(data_of(300), parse_metric("micro-f1"), 0.05, 0);
  EXPECT_FALSE(report.informative);
  EXPECT_GT(report.examples_needed, 300);
  EXPECT_NE(bounds_text(report).find("says nothing here"), std::string::npos);
  BoundsReport tight = report;
  tight.informative = true;
  tight.scan_gap = 0.01;
  EXPECT_NE(bounds_text(tight).find("says something here"), std::string::npos);
  EXPECT_FALSE(bounds_json(report)["informative"].get<bool>());
}

}  // namespace
}  // namespace mmo::study
