// Costs that λ's search hands to training, seen from what is trained: negative ones, ranges that only the
// data bound, and label weights.
#include "mmo/learn/linear/lambda_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mmo/data/generate.h"
#include "mmo/eval/evaluate.h"
#include "mmo/rule/decision_rule.h"
#include "support/folds.h"

namespace mmo {
namespace {

struct Generated {
  Dataset data;
  Problem problem;
  MappedProblem mapped;

  explicit Generated(std::vector<float> label_weights = {}) {
    GenerateOptions options;
    options.rows = 300;
    options.features = 10;
    options.labels = 6;
    data = generate_dataset(options);
    problem.labels = &data.y;
    problem.rows_of_label = transpose(data.y);
    problem.label_weights = std::move(label_weights);
    problem.hold_out = folds_in_turn(data.rows(), 3);
    for (std::uint32_t j = 0; j < data.labels(); ++j) problem.trainable.push_back(j);
    mapped = map_problem(problem, data.x, FeatureMap::Kind::standardise, 100);
  }
  Generated(const Generated&) = delete;
  Generated& operator=(const Generated&) = delete;
  ~Generated() = default;

  [[nodiscard]] LambdaFit fit(const Metric& metric, LambdaSearch search, double step = 0.1) const {
    LambdaOptions options;
    options.search = search;
    options.step = step;
    options.calibrate = false;
    PathOptions path;
    path.rhos = {0.1};
    path.choosers.folds = 3;
    path.calibrate = false;
    return fit_with_lambda(mapped, metric, options, walk_l2_path(mapped, {}, path));
  }
  [[nodiscard]] double at_zero(const Metric& metric, const DenseMatrix& scores) const {
    DecisionRule zero;
    zero.thresholds.assign(data.labels(), 0.0F);
    return evaluate(metric, decide(zero, scores), problem.truth());
  }
};

// Folds that did not choose L2 are fitted at the chosen one: the scores are those of a walk on all folds.
TEST(L2Path, FewChoosingFoldsLeaveNoRowWithoutAScore) {
  const Generated generated;
  PathOptions path;
  path.rhos = {0.1};
  FitSettings settings;
  settings.tolerance = 1e-8;
  path.choosers.folds = 1;
  const ChosenLoss few = walk_l2_path(generated.mapped, settings, path);
  path.choosers.folds = generated.problem.hold_out.folds();
  const ChosenLoss all = walk_l2_path(generated.mapped, settings, path);
  ASSERT_EQ(few.scores.values.size(), all.scores.values.size());
  constexpr double solved = 5e-3;  // two starts, solved to a decrement of 1e-8
  for (std::size_t e = 0; e < all.scores.values.size(); ++e)
    EXPECT_NEAR(few.scores.values[e], all.scores.values[e], solved);
  EXPECT_NEAR(few.calibration.log_loss, all.calibration.log_loss, 1e-4);
}

// So are labels that did not choose: at the one point there is, nothing depends on who chose it or on the
// start.
TEST(L2Path, FewChoosingLabelsLeaveNoLabelWithoutAScore) {
  const Generated generated;
  PathOptions path;
  path.rhos = {0.1};
  path.choosers.folds = generated.problem.hold_out.folds();
  FitSettings settings;
  settings.tolerance = 1e-8;
  const ChosenLoss all = walk_l2_path(generated.mapped, settings, path);
  path.choosers.labels = spread_labels(generated.problem, 2);
  ASSERT_EQ(path.choosers.labels.size(), 2U);
  path.start = &all.weights;
  path.choosers.folds = 1;
  const ChosenLoss few = walk_l2_path(generated.mapped, settings, path);
  EXPECT_EQ(few.path[0].summary.columns, 2U);
  EXPECT_TRUE(few.settings.labels.empty());
  constexpr double solved = 5e-3;
  for (std::size_t e = 0; e < all.scores.values.size(); ++e)
    EXPECT_NEAR(few.scores.values[e], all.scores.values[e], solved);
  EXPECT_NEAR(few.calibration.log_loss, all.calibration.log_loss, 1e-4);
}

TEST(L2Path, ChoosingLabelsSpreadOverAllFrequencies) {
  LabelMatrix labels;
  labels.cols = 100;
  for (std::uint32_t i = 0; i < 100; ++i) {  // label j is in j + 1 rows
    std::vector<std::uint32_t> row;
    for (std::uint32_t j = i; j < 100; ++j) row.push_back(j);
    labels.push_row(row);
  }
  Problem problem;
  problem.labels = &labels;
  problem.rows_of_label = transpose(labels);
  for (std::uint32_t j = 0; j < 100; ++j) problem.trainable.push_back(j);
  EXPECT_EQ(spread_labels(problem, 4), (std::vector<std::uint32_t>{24, 49, 74, 99}));
  // 100,000 held-out cells, but 32 labels at least.
  for (const auto& [rows, chosen] : {std::pair{500U, 0U}, {2000U, 50U}, {20000U, 32U}}) {  // 0: all
    problem.hold_out = HoldOut::by_folds(std::vector<std::uint32_t>(rows), 5);
    EXPECT_EQ(enough_choosers(problem).labels.size(), chosen) << rows;
  }
  problem.trainable.resize(32);
  EXPECT_TRUE(enough_choosers(problem).labels.empty());
}

TEST(L2Path, SmallSetsChooseOnAllFolds) {
  Problem problem;
  LabelMatrix labels;
  problem.labels = &labels;
  for (const auto& [rows, folds] : {std::pair{1000, 5}, {5000, 3}, {7770, 2}, {100000, 1}}) {
    labels.rows = static_cast<std::size_t>(rows);
    problem.hold_out = folds_in_turn(labels.rows, 5);
    EXPECT_EQ(enough_choosers(problem).folds, static_cast<std::size_t>(folds)) << rows;
  }
}

// Rewarding mistakes is rewarding accuracy with the signs flipped, cell by cell.
TEST(LambdaFit, MetricsThatRewardMistakesAreTrainedOnFlippedSigns) {
  const Generated generated;
  const Metric right = parse_metric("micro:(TP+TN)/(TP+FP+FN+TN)");
  const Metric wrong = parse_metric("micro:(FP+FN)/(TP+FP+FN+TN)");
  const double accuracy =
      generated.at_zero(right, generated.fit(right, LambdaSearch::dinkelbach).chosen.scores);
  const double error = generated.at_zero(wrong, generated.fit(wrong, LambdaSearch::dinkelbach).chosen.scores);
  EXPECT_GT(accuracy, 0.6);
  EXPECT_NEAR(error, accuracy, 0.01);  // solved to a gradient of 1e-3: a few of 1,800 cells may differ
}

// One negative cost: the same prediction is the cheap one for every row.
TEST(LambdaFit, OneNegativeCostGivesNearlyAlwaysTheCheapPrediction) {
  const Generated generated;
  const Metric everything = parse_metric("micro:(TP+FP)/(TP+FP+FN+TN)");
  EXPECT_GT(generated.at_zero(everything, generated.fit(everything, LambdaSearch::dinkelbach).chosen.scores),
            0.98);
  const Metric nothing = parse_metric("micro:(FN+TN)/(TP+FP+FN+TN)");
  EXPECT_GT(generated.at_zero(nothing, generated.fit(nothing, LambdaSearch::dinkelbach).chosen.scores), 0.98);
}

// (TP − FP)/(TP + FN) has no lower bound of its own, for no label of a metric with a ratio per label.
TEST(LambdaFit, RangesAreBoundedByTheDataForEveryLabel) {
  const Generated generated;
  Metric metric = parse_metric("micro-f1");
  const CountRatio net = parse_metric("micro:(TP-FP)/(TP+FN)").ratio(0);
  metric.ratios.resize(6, metric.ratios[0]);
  metric.ratios[2] = net;
  for (const LambdaSearch search : {LambdaSearch::scan, LambdaSearch::bisect}) {
    const LambdaResult result = generated.fit(metric, search, 0.5).lambda;
    for (const LambdaStep& step : result.steps) EXPECT_TRUE(std::isfinite(step.lambda[0]));
    EXPECT_LE(result.lambda[0], 1.0);
  }
}

// λ·Ê[ℓ_β] − Ê[ℓ_α] is positive exactly where λ exceeds the metric, whatever the labels weigh.
TEST(LambdaFit, BisectionSeesLabelWeights) {
  const Generated generated({20.0F, 0.1F, 0.1F, 0.1F, 0.1F, 0.1F});
  const LambdaResult result = generated.fit(parse_metric("micro-f1"), LambdaSearch::bisect).lambda;
  for (const LambdaStep& step : result.steps) {
    EXPECT_EQ(step.values[0].linearised > 0, step.lambda[0] > step.values[0].metric) << step.lambda[0];
  }
}

}  // namespace
}  // namespace mmo
