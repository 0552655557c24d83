// Labels that are too rare to be trained, and rows that no fold holds out, must not disturb the other
// choices.
#include <gtest/gtest.h>

#include "mmo/data/generate.h"
#include "mmo/eval/evaluate.h"
#include "mmo/search/train.h"
#include "mmo/split/split.h"

namespace mmo {
namespace {

// `kept` labels as they are; the others lose all but two of their positives.
Dataset with_rare_labels(const Dataset& data, std::size_t kept) {
  Dataset out = data;
  out.y = {};
  out.y.cols = data.labels();
  std::vector<int> left(data.labels(), 2);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    std::vector<std::uint32_t> row;
    for (const std::uint32_t j : data.y.row(i)) {
      if (j < kept || left[j]-- > 0) row.push_back(j);
    }
    out.y.push_row(row);
  }
  return out;
}

TEST(UntrainedLabels, LeaveTheOthersAsTheyAre) {
  GenerateOptions generate;
  generate.rows = 600;
  generate.features = 20;
  generate.labels = 30;
  const Dataset all = with_rare_labels(generate_dataset(generate), 6);
  const Split split = random_split(all.rows(), 0.4, 1);
  const Dataset train_data = take_rows(all, split.train);
  std::vector<std::uint32_t> frequent{0, 1, 2, 3, 4, 5};
  const Dataset test = take_labels(take_rows(all, split.test), frequent);
  const Dataset alone = take_labels(train_data, frequent);
  for (const char* method : {"auto", "koyejo", "mmo", "asl"}) {
    TrainOptions options;
    options.metric = parse_metric("micro-f1");
    options.method = method;
    options.min_positives = 5;
    if (options.method == "asl") options.settings["rule"] = "global";
    const Model with = train(train_data, options).model;
    const Model without = train(alone, options).model;
    LabelMatrix predicted;
    predicted.cols = frequent.size();
    const LabelMatrix wide = predict(with, prepare(with, take_rows(all, split.test)));
    for (std::size_t i = 0; i < wide.rows; ++i) {
      const auto row = wide.row(i);
      for (const std::uint32_t j : row) EXPECT_LT(j, 6U);
      predicted.push_row(row);
    }
    const double value = evaluate(options.metric, predicted, {&test.y, nullptr, {}, {}});
    const double expected =
        evaluate(options.metric, predict(without, prepare(without, test)), {&test.y, nullptr, {}, {}});
    // The two searches draw different folds: some 240 test rows leave that much noise.
    EXPECT_GT(value, expected - 0.04) << method;
  }
}

}  // namespace
}  // namespace mmo
