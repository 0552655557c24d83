// Training by label trees: what it gives, what it refuses, and that a file holds it.
#include <gtest/gtest.h>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/data/generate.h"
#include "mmo/eval/evaluate.h"
#include "mmo/search/train.h"
#include "mmo/split/split.h"

namespace mmo {
namespace {

Dataset words(std::size_t rows, std::size_t labels) {
  GenerateOptions generate;
  generate.rows = rows;
  generate.features = 300;
  generate.labels = labels;
  generate.nonzeros_per_row = 20;
  return generate_dataset(generate);
}

TrainOptions by_trees(const std::string& metric) {
  TrainOptions options;
  options.metric = parse_metric(metric);
  options.settings["labels"] = "tree";
  options.folds = 3;
  return options;
}

double test_value(const Model& model, const Metric& metric, const Dataset& test) {
  return evaluate(metric, predict(model, prepare(model, test)), {&test.y, nullptr, {}, {}});
}

TEST(ManyLabels, IsNearlyAsGoodAsAllScores) {
  const Dataset all = words(1500, 40);
  const Split split = random_split(all.rows(), 0.3, 1);
  const Dataset data = take_rows(all, split.train);
  const Dataset test = take_rows(all, split.test);
  for (const char* metric : {"micro-f1", "macro-f1", "samples-f1"}) {
    TrainOptions options = by_trees(metric);
    const TrainResult trees = train(data, options);
    EXPECT_TRUE(trees.model.trees.has_value());
    options.settings["labels"] = "all";
    const Model every = train(data, options).model;
    EXPECT_FALSE(every.trees.has_value());
    EXPECT_GT(test_value(trees.model, options.metric, test), 0.8 * test_value(every, options.metric, test))
        << metric;
  }
}

TEST(ManyLabels, GivesTheSameFileForAnyNumberOfThreads) {
  const Dataset data = words(300, 30);
  std::string files[2];
  for (int run = 0; run < 2; ++run) {
    set_threads(run == 0 ? 1 : 3);
    files[run] = model_bytes(train(data, by_trees("macro-f1")).model);
  }
  set_threads(0);
  EXPECT_EQ(files[0], files[1]);
}

TEST(ManyLabels, AFileHoldsTheModel) {
  const Dataset data = words(300, 30);
  const Model model = train(data, by_trees("micro-f1")).model;
  const Model loaded = load_model(FileContent::from_string(model_bytes(model), "bytes"));
  EXPECT_EQ(model_bytes(loaded), model_bytes(model));
  const LabelMatrix predicted = predict(model, prepare(model, data));
  EXPECT_EQ(predict(loaded, prepare(loaded, data)).indices, predicted.indices);
  // Scores of all labels lead to the same decisions.
  EXPECT_EQ(decide(loaded.rule, score(loaded, prepare(loaded, data))).indices, predicted.indices);
}

// No byte of the file can be changed or lost unnoticed.
TEST(ManyLabels, DamagedFilesAreRefused) {
  const std::string bytes = model_bytes(train(words(100, 10), by_trees("micro-f1")).model);
  for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 200) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x11);
    EXPECT_THROW((void)load_model(FileContent::from_string(damaged, "bytes")), ModelError) << at;
    EXPECT_THROW((void)load_model(FileContent::from_string(bytes.substr(0, at), "bytes")), ModelError) << at;
  }
}

TEST(ManyLabels, NoRowGetsMoreLabelsThanAllowed) {
  const Dataset data = words(300, 30);
  for (const char* way : {"tree", "all"}) {
    TrainOptions options = by_trees("macro-f1");
    options.settings["labels"] = way;
    options.settings["max-labels"] = "2";
    const Model model = train(data, options).model;
    const LabelMatrix predicted = predict(model, prepare(model, data));
    for (std::size_t i = 0; i < predicted.rows; ++i) EXPECT_LE(predicted.row(i).size(), 2U);
  }
}

TEST(ManyLabels, RefusesWhatTreesCanNotDo) {
  const Dataset data = words(100, 10);
  for (const auto& [key, value] : {std::pair{"learners", "kernel"}, std::pair{"stack", "on"},
                                   std::pair{"lambda", "0.5"}, std::pair{"l2", "1"}}) {
    TrainOptions options = by_trees("micro-f1");
    options.settings[key] = value;
    EXPECT_THROW((void)train(data, options), UsageError) << key;
  }
}

// Ids beyond what any row has are cheap: memory follows the labels that occur.
TEST(ManyLabels, AMillionLabelsOnTenRows) {
  Dataset data = words(10, 5);
  data.y.cols = 1'000'000;
  data.label_names.clear();
  const TrainResult result = train(data, by_trees("macro-f1"));
  EXPECT_EQ(result.model.labels(), 1'000'000U);
  for (const std::uint32_t j : predict(result.model, prepare(result.model, data)).indices) EXPECT_LT(j, 5U);
}

}  // namespace
}  // namespace mmo
