// The Adam baselines as methods of train(), and the λ they follow.
#include <gtest/gtest.h>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/data/generate.h"
#include "mmo/eval/evaluate.h"
#include "mmo/learn/linear/ema_lambda.h"
#include "mmo/search/train.h"
#include "mmo/split/split.h"

namespace mmo {
namespace {

struct TrainTest {
  Dataset train, test;
};

TrainTest generated() {
  GenerateOptions options;
  options.rows = 400;
  options.features = 20;
  options.labels = 6;
  const Dataset all = generate_dataset(options);
  const Split split = stratified_split(all.y, 0.4, 1);
  return {take_rows(all, split.train), take_rows(all, split.test)};
}

TrainOptions options_for(const std::string& method, const std::string& metric = "micro-f1") {
  TrainOptions options;
  options.metric = parse_metric(metric);
  options.method = method;
  options.folds = 3;
  return options;
}

double test_value(const TrainTest& data, const Model& model, const Metric& metric) {
  return evaluate(metric, predict(model, prepare(model, data.test)), {&data.test.y, nullptr, {}, {}});
}

TEST(MiniBatch, EveryLossLearnsAndTheThresholdHelpsAsl) {
  const TrainTest data = generated();
  const Metric metric = parse_metric("micro-f1");
  // Predicting everything is the answer of a model that has learnt nothing.
  LabelMatrix everything;
  everything.cols = data.test.labels();
  std::vector<std::uint32_t> all(data.test.labels());
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = static_cast<std::uint32_t>(j);
  for (std::size_t i = 0; i < data.test.rows(); ++i) everything.push_row(all);
  const double trivial = evaluate(metric, everything, {&data.test.y, nullptr, {}, {}});
  for (const char* method : {"ema", "sigmoid-f1", "asl"}) {
    TrainOptions options = options_for(method);
    options.settings["rule"] = "global";
    const Model model = train(data.train, options).model;
    EXPECT_GT(test_value(data, model, metric), trivial + 0.1) << method;
    EXPECT_TRUE(model.history["adam"]["steps"].is_number()) << method;
  }
}

TEST(MiniBatch, SameModelForAnyThreadCount) {
  const TrainTest data = generated();
  set_threads(1);
  const Model one = train(data.train, options_for("ema", "macro-f1")).model;
  set_threads(2);
  const Model two = train(data.train, options_for("ema", "macro-f1")).model;
  set_threads(0);
  EXPECT_EQ(one.weights.values, two.weights.values);
  EXPECT_EQ(one.bias, two.bias);
  EXPECT_EQ(one.history["lambda"]["chosen"].size(), data.train.labels());
}

TEST(MiniBatch, SettingsOfTheSolverAreRefused) {
  const TrainTest data = generated();
  TrainOptions options = options_for("asl");
  options.settings["l2"] = "0.1";
  EXPECT_THROW(static_cast<void>(train(data.train, options)), UsageError);
}

LabelMatrix rows_of(std::size_t labels, const std::vector<std::vector<std::uint32_t>>& rows) {
  LabelMatrix out;
  out.cols = labels;
  for (const auto& row : rows) out.push_row(row);
  return out;
}

// γ = 0.7: from the range's middle ½, a batch of metric 1 gives 0.7·½ + 0.3.
TEST(EmaLambda, FollowsTheBatchMetric) {
  const Metric metric = parse_metric("micro-f1");
  EmaLambda ema(metric, 2);
  const LabelMatrix labels = rows_of(2, {{0}, {1}});
  ema.update(labels, {&labels, nullptr, {}, {}});
  ASSERT_EQ(ema.lambda().size(), 1U);
  EXPECT_DOUBLE_EQ(ema.lambda()[0], 0.65);
  const LabelCost cost = ema.costs()[1];
  EXPECT_DOUBLE_EQ(cost.false_negative, 1.35);
  EXPECT_DOUBLE_EQ(cost.false_positive, 0.65);
}

// Macro: a label absent from a batch keeps its λ instead of being pulled to 0/0 = 0.
TEST(EmaLambda, CountsPerLabelForMacro) {
  const Metric metric = parse_metric("macro-f1");
  EmaLambda ema(metric, 2);
  const LabelMatrix both = rows_of(2, {{0, 1}, {0, 1}});
  for (int batch = 0; batch < 200; ++batch) ema.update(both, {&both, nullptr, {}, {}});
  const double before = ema.lambda()[1];
  EXPECT_GT(before, 0.9);
  const LabelMatrix one = rows_of(2, {{0}, {0}});
  ema.update(one, {&one, nullptr, {}, {}});
  EXPECT_NEAR(ema.lambda()[1], before, 0.01);
}

}  // namespace
}  // namespace mmo
