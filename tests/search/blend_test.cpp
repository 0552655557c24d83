// Several learners in one search: `auto` on tables, and the recipes that name them.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/data/generate.h"
#include "mmo/model/model.h"
#include "mmo/search/train.h"

namespace mmo {
namespace {

// Labels by the signs of products of two columns: nothing for linear models.
Dataset checkers(std::size_t rows, std::uint64_t seed) {
  Random random(seed);
  DenseMatrix x(rows, 6);
  Dataset out;
  out.source = "checkers";
  out.y.cols = 3;
  for (std::size_t i = 0; i < rows; ++i) {
    for (float& value : x.row(i)) value = static_cast<float>(random.normal());
    std::vector<std::uint32_t> labels;
    for (std::uint32_t j = 0; j < 3; ++j) {
      if (x(i, j) * x(i, j + 1) > 0.3) labels.push_back(j);
    }
    out.y.push_row(labels);
  }
  out.x = std::move(x);
  return out;
}

TrainOptions options_for(const std::string& method) {
  TrainOptions options;
  options.metric = parse_metric("micro-f1");
  options.method = method;
  return options;
}

double value_on(const Dataset& test, const Model& model) {
  return evaluate(model.metric, predict(model, prepare(model, test)), {&test.y, nullptr, {}, {}});
}

TEST(Blend, AutoLearnsWhatLinearModelsCannot) {
  const Dataset training = checkers(400, 1);
  const Dataset test = checkers(400, 2);
  const Model blended = train(training, options_for("auto")).model;
  const Model linear = train(training, options_for("linear")).model;
  EXPECT_GT(value_on(test, blended), value_on(test, linear) + 0.15);
  EXPECT_FALSE(blended.others.empty());
  EXPECT_TRUE(linear.others.empty());
  const auto& record = blended.history["blend"]["learners"];
  EXPECT_GE(record.size(), 4U);
  std::size_t used = 0;
  for (const auto& learner : record) used += learner["weight"] > 0 && learner["learner"] != "linear" ? 1 : 0;
  EXPECT_EQ(used, blended.others.size());
}

TEST(Blend, EveryRecipeAndListOfLearnersTrains) {
  const Dataset training = checkers(300, 1);
  const Dataset test = checkers(300, 2);
  for (const char* method : {"kernel", "forest", "boosted"})
    EXPECT_GT(value_on(test, train(training, options_for(method)).model), 0.6) << method;
  TrainOptions two = options_for("auto");
  two.settings["learners"] = "linear,forest";
  const Model model = train(training, two).model;
  for (const auto& learner : model.history["blend"]["learners"]) EXPECT_NE(learner["learner"], "kernel");
  two.settings["learners"] = "linear,magic";
  EXPECT_THROW((void)train(training, two), UsageError);
}

// A lone linear learner writes the model that it always wrote; quick effort is linear.
TEST(Blend, QuickEffortIsLinear) {
  const Dataset training = checkers(300, 1);
  TrainOptions options = options_for("auto");
  options.effort = Effort::quick;
  const Model model = train(training, options).model;
  EXPECT_TRUE(model.others.empty());
  EXPECT_FALSE(model.history.contains("blend"));
}

TEST(Blend, SparseColumnsAndGroupsStayLinear) {
  Dataset training = checkers(200, 1);
  training.groups.assign(200, "a");
  for (std::size_t i = 0; i < 200; ++i) training.groups[i] = std::to_string(i / 4);
  EXPECT_TRUE(train(training, options_for("auto")).model.others.empty());
}

TEST(Blend, IsTheSameForAnyNumberOfThreads) {
  const Dataset training = checkers(200, 1);
  set_threads(1);
  const std::string one = model_bytes(train(training, options_for("auto")).model);
  set_threads(3);
  const std::string three = model_bytes(train(training, options_for("auto")).model);
  set_threads(0);
  EXPECT_EQ(one, three);
}

TEST(Blend, AValidationFileServesEveryLearner) {
  const Dataset training = checkers(300, 1);
  const Dataset valid = checkers(200, 3);
  const Dataset test = checkers(300, 2);
  TrainOptions options = options_for("auto");
  options.valid = &valid;
  const Model model = train(training, options).model;
  EXPECT_GT(value_on(test, model), 0.6);
  EXPECT_EQ(model.history["out_of_fold"]["on"], "validation file");
}

// Two rows, a constant label, columns without any difference: a model or a clear error, never a crash.
TEST(Blend, SurvivesPoorData) {
  for (const std::size_t rows : {2U, 3U, 8U}) {
    Dataset data = checkers(rows, 5);
    data.y = {};
    data.y.cols = 3;
    for (std::uint32_t i = 0; i < rows; ++i) {
      const std::vector<std::uint32_t> labels =
          i % 2 == 0 ? std::vector<std::uint32_t>{0, 1} : std::vector<std::uint32_t>{0};
      data.y.push_row(labels);  // always, half of the time, never
    }
    for (const bool constant : {false, true}) {
      if (constant) data.x = DenseMatrix(rows, 6, 1.0F);
      try {
        const Model model = train(data, options_for("auto")).model;
        for (const float z : score(model, prepare(model, data)).values) EXPECT_TRUE(std::isfinite(z));
      } catch (const Error& error) {
        EXPECT_FALSE(std::string(error.what()).empty());
      }
    }
  }
}

}  // namespace
}  // namespace mmo
