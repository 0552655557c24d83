#include "mmo/search/prepare_training.h"

#include <gtest/gtest.h>

#include <numeric>

#include "mmo/core/error.h"
#include "mmo/data/generate.h"

namespace mmo {
namespace {

Dataset generated(std::size_t rows, std::uint64_t seed = 0) {
  GenerateOptions options;
  options.rows = rows;
  options.features = 5;
  options.labels = 4;
  options.labels_per_row = 1.5;
  options.seed = seed;
  return generate_dataset(options);
}

TrainOptions micro_f1() {
  TrainOptions options;
  options.metric = parse_metric("micro-f1");
  return options;
}

TEST(PrepareTraining, EveryRowHasAFoldAndMayBeTrainedOn) {
  const Dataset data = generated(100);
  Training training;
  prepare_training(data, micro_f1(), MissingFeatures::refuse, training);
  const Problem& problem = training.problem;
  EXPECT_EQ(problem.hold_out.folds(), 5U);
  EXPECT_EQ(problem.hold_out.training_rows().size(), data.rows());
  EXPECT_EQ(problem.rows_of_label.rows, data.labels());
  EXPECT_EQ(feature_rows(training.encoded), data.rows());
}

TEST(PrepareTraining, FewRowsMakeFewFolds) {
  Training training;
  prepare_training(take_rows(generated(40), std::vector<std::uint32_t>{0, 1, 2}), micro_f1(),
                   MissingFeatures::refuse, training);
  EXPECT_EQ(training.problem.hold_out.folds(), 3U);
  EXPECT_NE(training.warnings.front().find("3 folds instead of 5"), std::string::npos);
}

TEST(PrepareTraining, QuickEffortHoldsOutTwoFoldsAtLeast) {
  TrainOptions options = micro_f1();
  options.effort = Effort::quick;
  Training training;
  prepare_training(generated(20000), options, MissingFeatures::refuse,
                   training);  // one fold would hold out 3,000 rows
  EXPECT_EQ(training.problem.hold_out.folds(), 2U);
}

TEST(PrepareTraining, ValidationRowsComeLastAndAreNotTrainedOn) {
  const Dataset data = generated(60);
  const Dataset valid = generated(20, 1);
  TrainOptions options = micro_f1();
  options.valid = &valid;
  Training training;
  prepare_training(data, options, MissingFeatures::refuse, training);
  const HoldOut& hold_out = training.problem.hold_out;
  EXPECT_TRUE(hold_out.is_validation());
  EXPECT_EQ(training.problem.rows(), 80U);
  EXPECT_EQ(training.training_rows, 60U);
  std::vector<std::uint32_t> first(60);
  std::iota(first.begin(), first.end(), 0U);
  EXPECT_EQ(hold_out.training_rows(), first);
  const auto last = training.labels.row(79);
  EXPECT_TRUE(std::equal(last.begin(), last.end(), valid.y.row(19).begin(), valid.y.row(19).end()));
  const Dataset narrow = take_labels(valid, std::vector<std::uint32_t>{0});
  options.valid = &narrow;
  Training refused;
  EXPECT_THROW(prepare_training(data, options, MissingFeatures::refuse, refused), DataError);
}

TEST(PrepareTraining, RowWeightsHaveMeanOne) {
  Dataset data = generated(50);
  for (std::size_t i = 0; i < data.rows(); ++i) data.row_weights.push_back(static_cast<float>(i + 1));
  Training training;
  prepare_training(data, micro_f1(), MissingFeatures::refuse, training);
  const std::vector<float>& weights = training.problem.row_weights;
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 50, 1e-3);
  EXPECT_NEAR(weights[49] / weights[0], 50, 1e-3);
}

TEST(PrepareTraining, RareAndAbsentLabelsAreNeverPredicted) {
  Dataset data = generated(50);
  data.y = LabelMatrix();
  data.y.cols = 4;
  for (std::uint32_t i = 0; i < 50; ++i) {  // label 0: half, 1: two rows, 2: none, 3: all
    std::vector<std::uint32_t> row;
    if (i % 2 == 0) row.push_back(0);
    if (i < 2) row.push_back(1);
    row.push_back(3);
    data.y.push_row(row);
  }
  TrainOptions options = micro_f1();
  options.min_positives = 3;
  Training training;
  prepare_training(data, options, MissingFeatures::refuse, training);
  EXPECT_EQ(training.problem.trainable, (std::vector<std::uint32_t>{0, 3}));
  EXPECT_EQ(training.may_predict, (std::vector<char>{1, 0, 0, 1}));
  EXPECT_EQ(training.warnings.size(), 3U);  // absent, rare, always there
}

}  // namespace
}  // namespace mmo
