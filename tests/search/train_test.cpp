#include "mmo/search/train.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/data/generate.h"
#include "mmo/eval/evaluate.h"
#include "mmo/split/split.h"

namespace mmo {
namespace {

struct TrainTest {
  Dataset train, test;
};

TrainTest generated(bool sparse, std::size_t rows = 900) {
  GenerateOptions options;
  options.rows = rows;
  options.features = sparse ? 300 : 30;
  options.labels = 12;
  options.nonzeros_per_row = sparse ? 25 : 0;
  const Dataset all = generate_dataset(options);
  const Split split = stratified_split(all.y, 0.4, 1);
  return {take_rows(all, split.train), take_rows(all, split.test)};
}

TrainOptions options_for(const std::string& metric, const std::string& method = "linear") {
  TrainOptions options;
  options.metric = parse_metric(metric);
  options.method = method;
  return options;
}

double value_on(const Dataset& test, const Model& model) {
  return evaluate(model.metric, predict(model, prepare(model, test)), {&test.y, nullptr, {}, {}});
}

double test_value(const TrainTest& data, const TrainOptions& options) {
  return value_on(data.test, train(data.train, options).model);
}

TEST(Train, AutoBeatsBinaryRelevanceOnEveryAverage) {
  for (const bool sparse : {false, true}) {
    const TrainTest data = generated(sparse);
    for (const char* metric : {"micro-f1", "macro-f1", "samples-f1", "macro-jaccard"}) {
      EXPECT_GT(test_value(data, options_for(metric, "auto")),
                test_value(data, options_for(metric, "br")) + 0.01)
          << metric << sparse;
    }
  }
}

// Rows of length one are their own l2-rows map: what a menu without the identity has it for.
TEST(Train, RowsOfLengthOneMayStayAsTheyAre) {
  TrainTest data = generated(true, 400);
  auto& x = std::get<CsrMatrix>(data.train.x);
  for (std::size_t i = 0; i < x.rows; ++i) {
    double square = 0;
    for (const float v : x.row_values(i)) square += static_cast<double>(v) * v;
    for (std::uint64_t k = x.offsets[i]; k < x.offsets[i + 1]; ++k)
      x.values[k] /= static_cast<float>(std::sqrt(square));
  }
  TrainOptions options = options_for("micro-f1");
  options.effort = Effort::quick;
  const Model model = train(data.train, options).model;
  std::vector<std::string> tried;
  for (const auto& candidate : model.history["feature_map"]["candidates"]) tried.push_back(candidate["map"]);
  EXPECT_EQ(tried, (std::vector<std::string>{"identity", "sqrt-l2"}));
}

TEST(Train, SameModelForAnyThreadCount) {
  const TrainTest data = generated(false, 400);
  set_threads(1);
  const Model one = train(data.train, options_for("micro-f1")).model;
  set_threads(2);
  const Model two = train(data.train, options_for("micro-f1")).model;
  set_threads(0);
  EXPECT_EQ(one.weights.values, two.weights.values);
  EXPECT_EQ(one.bias, two.bias);
  EXPECT_EQ(one.rule.thresholds, two.rule.thresholds);
  EXPECT_EQ(one.mix->weights.values, two.mix->weights.values);
}

TEST(Train, TheOutOfFoldValueForetellsTheTestValue) {
  const TrainTest data = generated(false);
  const TrainOptions options = options_for("micro-f1");
  const TrainResult result = train(data.train, options);
  const double promised = result.model.history["out_of_fold"]["value"];
  const LabelMatrix predicted = predict(result.model, prepare(result.model, data.test));
  EXPECT_NEAR(evaluate(options.metric, predicted, {&data.test.y, nullptr, {}, {}}), promised, 0.06);
}

// 5 folds of 4,000 rows hold out 800 each: four hold out the 3,000 that quick effort asks for.
TEST(Train, QuickEffortHoldsOutEnoughRowsOnly) {
  GenerateOptions many;
  many.rows = 4000;
  many.features = 20;
  many.labels = 5;
  const Dataset data = generate_dataset(many);
  const auto held_out_rows = [&](Effort effort, const std::string& method) {
    TrainOptions options = options_for("macro-f1", method);
    options.effort = effort;
    const nlohmann::json history = train(data, options).model.history;
    EXPECT_EQ(history["out_of_fold"]["folds"].size(), history["folds"]);
    EXPECT_GT(history["out_of_fold"]["value"], 0.5);
    return history["out_of_fold"]["rows"].get<std::size_t>();
  };
  EXPECT_EQ(held_out_rows(Effort::standard, "auto"), 4000);
  for (const char* method : {"auto", "mmo"}) {
    const std::size_t rows = held_out_rows(Effort::quick, method);
    EXPECT_GE(rows, 3000);
    EXPECT_LT(rows, 3500);
  }
}

// What a model must beat: every label in every row.
double value_of_everything(const Dataset& test, const Metric& metric) {
  LabelMatrix all;
  all.cols = test.labels();
  std::vector<std::uint32_t> row(test.labels());
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 0; i < test.rows(); ++i) all.push_row(row);
  return evaluate(metric, all, {&test.y, nullptr, {}, {}});
}

TEST(Train, EveryMethodAndSettingGivesAModel) {
  const TrainTest data = generated(false, 300);
  const double micro = value_of_everything(data.test, parse_metric("micro-f1"));
  const double macro = value_of_everything(data.test, parse_metric("macro-f1"));
  for (const MethodInfo& method : known_methods()) {
    const double value = test_value(data, options_for("micro-f1", method.name));
    EXPECT_GT(value, micro) << method.name;
    EXPECT_LE(value, 1.0) << method.name;
  }
  const std::vector<std::pair<const char*, const char*>> settings{
      {"tau", "0.5"},   {"coupling", "joint"}, {"lambda", "bisect"}, {"lambda", "0.4"},
      {"stack", "off"}, {"loss", "hinge"},     {"rule", "global"},   {"transform", "arcsinh"},
      {"l2", "0.1"},    {"l2-by", "log-loss"}, {"min-labels", "1"}};
  for (const auto& [key, value] : settings) {
    TrainOptions options = options_for("macro-f1");
    options.settings[key] = value;
    EXPECT_GT(test_value(data, options), macro) << key << "=" << value;
  }
}

TEST(Train, AValidationFileIsSelectedOnAndNotTrainedOn) {
  const TrainTest data = generated(false, 500);
  TrainOptions options = options_for("micro-f1");
  options.valid = &data.test;
  const Model with = train(data.train, options).model;
  EXPECT_EQ(with.history["out_of_fold"]["on"], "validation file");
  // The fit itself does not see the validation labels: with all choices fixed the weights stay the same.
  options.settings = {
      {"l2", "0.1"}, {"loss", "logistic"}, {"transform", "standardise"}, {"stack", "off"}, {"rule", "zero"}};
  const Model a = train(data.train, options).model;
  Dataset other = data.test;
  other.y.indices.clear();
  other.y.offsets.assign(other.y.rows + 1, 0);
  options.valid = &other;
  const Model b = train(data.train, options).model;
  // The start of the solver counts all positives, its end does not: equal to the final tolerance.
  for (std::size_t e = 0; e < a.weights.values.size(); ++e)
    EXPECT_NEAR(a.weights.values[e], b.weights.values[e], 5e-3);
}

TEST(Train, UnknownCellsAndWeightsReachTheFit) {
  TrainTest data = generated(false, 400);
  const TrainOptions options = options_for("micro-f1");
  const Model plain = train(data.train, options).model;
  Dataset weighted = data.train;
  weighted.row_weights.assign(weighted.rows(), 1.0F);
  EXPECT_EQ(train(weighted, options).model.history["out_of_fold"]["value"],
            plain.history["out_of_fold"]["value"]);
  Dataset masked = data.train;
  masked.unknown.cols = masked.labels();
  for (std::size_t i = 0; i < masked.rows(); ++i) masked.unknown.push_row(std::vector<std::uint32_t>{0});
  EXPECT_THROW((void)train(take_labels(masked, std::vector<std::uint32_t>{0}), options),
               DataError);  // nothing known at all
}

// Labels of rows that weigh nothing move the folds and where the solver starts, not where it ends.
TEST(Train, RowsOfWeightZeroDoNotReachTheFinalFit) {
  Dataset data = generated(false, 500).train;
  TrainOptions options = options_for("micro-f1");
  options.settings = {
      {"l2", "0.1"}, {"loss", "logistic"}, {"transform", "standardise"}, {"stack", "off"}, {"rule", "zero"}};
  Dataset flipped = data;
  flipped.y = LabelMatrix();
  flipped.y.cols = data.labels();
  const std::size_t kept = data.rows() / 2;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const auto labels = data.y.row(i);
    std::vector<std::uint32_t> row;
    for (std::uint32_t j = 0; j < data.labels(); ++j) {
      if (std::binary_search(labels.begin(), labels.end(), j) == (i < kept)) row.push_back(j);
    }
    flipped.y.push_row(row);
  }
  const auto largest_change = [&] {
    const Model a = train(data, options).model;
    const Model b = train(flipped, options).model;
    float largest = 0;
    for (std::size_t e = 0; e < a.weights.values.size(); ++e)
      largest = std::max(largest, std::fabs(a.weights.values[e] - b.weights.values[e]));
    return largest;
  };
  EXPECT_GT(largest_change(), 0.1);  // with weight they matter
  for (Dataset* set : {&data, &flipped}) {
    set->row_weights.assign(data.rows(), 0.0F);
    std::fill_n(set->row_weights.begin(), kept, 1.0F);
  }
  EXPECT_LT(largest_change(), 5e-3);
}

TEST(Train, OnlyTheProportionsOfRowWeightsMatter) {
  const TrainTest data = generated(false, 400);
  for (const char* metric : {"micro-f1", "macro-f1"}) {
    const double plain = train(data.train, options_for(metric)).model.history["out_of_fold"]["value"];
    for (const float weight : {0.1F, 10.0F}) {
      Dataset weighted = data.train;
      weighted.row_weights.assign(weighted.rows(), weight);
      const double value = train(weighted, options_for(metric)).model.history["out_of_fold"]["value"];
      EXPECT_NEAR(value, plain, 0.01) << metric << weight;  // rounding may move a threshold
    }
  }
}

TEST(Train, LabelsThatAreNeverThereDoNotCountAsExpected) {
  const TrainTest data = generated(false, 400);
  TrainTest padded = data;
  for (Dataset* d : {&padded.train, &padded.test}) {
    d->y.cols += 40;
    d->label_names.clear();
  }
  EXPECT_NEAR(test_value(padded, options_for("samples-f1")), test_value(data, options_for("samples-f1")),
              0.03);
}

TEST(Train, TheSizeOfTheValidationFileDoesNotChangeTheFit) {
  const TrainTest data = generated(false, 300);
  TrainOptions options = options_for("micro-f1");
  options.settings = {{"l2", "0.1"}, {"transform", "standardise"}, {"loss", "logistic"}, {"rule", "zero"}};
  options.valid = &data.test;
  const Model once = train(data.train, options).model;
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 5 * data.test.rows(); ++i)
    rows.push_back(i % static_cast<std::uint32_t>(data.test.rows()));
  const Dataset repeated = take_rows(data.test, rows);
  options.valid = &repeated;
  const Model five = train(data.train, options).model;
  for (std::size_t e = 0; e < once.weights.values.size(); ++e)
    EXPECT_NEAR(once.weights.values[e], five.weights.values[e], 5e-3);  // the solver's start differs
}

TEST(Train, NoiseIsNotTurnedAround) {
  GenerateOptions generate;
  generate.rows = 40;
  generate.features = 60;
  generate.labels = 3;
  generate.labels_per_row = 1;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Dataset noise = generate_dataset(generate);
    Random random(seed);
    for (float& v : std::get<DenseMatrix>(noise.x).values) v = static_cast<float>(random.normal());
    const TrainResult result = train(noise, options_for("hamming-accuracy"));
    for (const auto& loss : result.model.history["losses"]) EXPECT_GT(loss["calibration"]["scale"], 0.0);
  }
}

TEST(Train, LabelsThatCannotBeLearntAreHandledWithAWarning) {
  TrainTest data = generated(false, 300);
  Dataset& d = data.train;
  LabelMatrix y;
  y.cols = d.labels() + 2;
  for (std::size_t i = 0; i < d.rows(); ++i) {
    std::vector<std::uint32_t> row(d.y.row(i).begin(), d.y.row(i).end());
    row.push_back(static_cast<std::uint32_t>(d.labels()));  // always there; the last label never
    y.push_row(row);
  }
  d.y = y;
  d.label_names.clear();
  const TrainResult result = train(d, options_for("macro-f1"));
  EXPECT_GE(result.warnings.size(), 2U);
  const LabelMatrix predicted = predict(result.model, prepare(result.model, d));
  const LabelMatrix by_label = transpose(predicted);
  EXPECT_EQ(by_label.row(y.cols - 1).size(), 0U);
  EXPECT_GT(by_label.row(y.cols - 2).size(), d.rows() * 9 / 10);
}

TEST(Train, NothingToTrainIsRefusedWithTheReason) {
  TrainTest data = generated(false, 100);
  Dataset empty = data.train;
  empty.y.indices.clear();
  empty.y.offsets.assign(empty.y.rows + 1, 0);
  EXPECT_THROW((void)train(empty, options_for("micro-f1")), DataError);
  const std::vector<std::uint32_t> one{0};
  EXPECT_THROW((void)train(take_rows(data.train, one), options_for("micro-f1")), DataError);
  TrainOptions options = options_for("micro-f1");
  options.method = "magic";
  EXPECT_THROW((void)train(data.train, options), UsageError);
  options = options_for("micro-f1");
  options.settings["rul"] = "zero";
  EXPECT_THROW((void)train(data.train, options), UsageError);
}

TEST(Train, RefusesWhatWouldNotFitTheMemory) {
  const TrainTest data = generated(false, 150);
  TrainOptions options = options_for("micro-f1");
  options.memory_limit = 1000;
  EXPECT_THROW((void)train(data.train, options), UsageError);
  options.memory_limit = std::uint64_t{1} << 32U;
  EXPECT_NO_THROW((void)train(data.train, options));
}

// The search on a sample, the final fit on all rows: nearly as good, and said.
TEST(Train, ShowsTheSearchFewerRowsWhereMemoryIsShort) {
  set_threads(1);  // more need room for their blocks, which fewer rows do not make
  for (const bool sparse : {false, true}) {
    TrainTest data = generated(sparse, 60000);
    TrainOptions options = options_for("macro-f1");
    options.effort = Effort::quick;
    options.settings["transform"] = sparse ? "idf-l2" : "standardise";
    std::uint64_t bytes = 0;
    std::size_t searched = 0;
    options.estimated = [&](const SearchEstimate& estimate) {
      bytes = estimate.bytes;
      searched = estimate.searched_rows;
      EXPECT_EQ(estimate.rows, data.train.rows());
    };
    const TrainResult whole = train(data.train, options);
    options.memory_limit = bytes * 8 / 10;
    const TrainResult sampled = train(data.train, options);
    EXPECT_LE(bytes, options.memory_limit);
    ASSERT_EQ(sampled.warnings.size(), whole.warnings.size() + 1);
    EXPECT_NE(sampled.warnings.back().find("the final fit sees all"), std::string::npos);
    EXPECT_LT(searched, data.train.rows());
    EXPECT_EQ(sampled.model.history["searched_rows"], searched);
    EXPECT_EQ(sampled.model.feature_map.scale, whole.model.feature_map.scale);  // fitted on all rows
    EXPECT_NEAR(value_on(data.test, sampled.model), value_on(data.test, whole.model), 0.01);
    options.memory_limit = bytes / 10;
    EXPECT_THROW((void)train(data.train, options), UsageError);
  }
  set_threads(0);
}

TEST(Train, WarnsOfTrivialMetrics) {
  const TrainTest data = generated(false, 150);
  const TrainResult result = train(data.train, options_for("micro-recall"));
  ASSERT_FALSE(result.warnings.empty());
  EXPECT_NE(result.warnings[0].find("predict everything"), std::string::npos);
}

TEST(Train, StopsWhenAsked) {
  const TrainTest data = generated(false, 200);
  request_cancel();
  EXPECT_THROW((void)train(data.train, options_for("micro-f1")), Interrupted);
  clear_cancel();
}

}  // namespace
}  // namespace mmo
