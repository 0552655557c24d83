// Tables of numbers, categories and gaps: trees see them as they came.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/data/align_columns.h"
#include "mmo/model/model.h"
#include "mmo/search/train.h"

namespace mmo {
namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();

std::vector<FeatureInfo> columns_of(std::size_t categories) {
  std::vector<std::string> cities;
  for (std::size_t c = 0; c < categories; ++c) cities.push_back("city " + std::to_string(c));
  return {{"age", {}}, {"city", cities}, {"hours", {}}};
}

// Which side of a number is positive depends on the category; a tenth of the cells is missing.
Dataset mixed(std::size_t rows, std::uint64_t seed, std::size_t categories = 6) {
  Random random(seed);
  DenseMatrix x(rows, 3);
  Dataset out;
  out.source = "mixed";
  out.features = columns_of(categories);
  out.y.cols = 2;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto city = static_cast<std::size_t>(random.uniform() * static_cast<double>(categories));
    const double age = random.normal();
    const double hours = random.normal();
    std::vector<std::uint32_t> labels;
    if ((age > 0) == (city % 2 == 0)) labels.push_back(0);
    if ((hours > 0.5) == (city % 3 == 0)) labels.push_back(1);
    out.y.push_row(labels);
    x(i, 0) = static_cast<float>(age);
    x(i, 1) = static_cast<float>(city);
    x(i, 2) = static_cast<float>(hours);
    for (float& value : x.row(i)) value = random.uniform() < 0.1 ? missing : value;
  }
  out.x = std::move(x);
  return out;
}

// The same rows with other columns first and the categories in another order.
Dataset permuted(const Dataset& data) {
  Dataset out = data;
  const auto& from = std::get<DenseMatrix>(data.x);
  DenseMatrix x(from.rows, 3);
  const std::size_t categories = data.features[1].categories.size();
  out.features = {data.features[2], data.features[0], data.features[1]};
  std::ranges::reverse(out.features[2].categories);
  for (std::size_t i = 0; i < from.rows; ++i) {
    x(i, 0) = from(i, 2);
    x(i, 1) = from(i, 0);
    x(i, 2) = static_cast<float>(categories - 1) - from(i, 1);
  }
  out.x = std::move(x);
  return out;
}

Model trained(const Dataset& data, const std::string& method, const std::string& learners = "") {
  TrainOptions options;
  options.metric = parse_metric("micro-f1");
  options.method = method;
  if (!learners.empty()) options.settings["learners"] = learners;
  return train(data, options).model;
}

double value_on(const Dataset& test, const Model& model) {
  return evaluate(model.metric, predict(model, prepare(model, test)), {&test.y, nullptr, {}, {}});
}

TEST(TableTrees, LearnWhatCategoriesSayAboutNumbers) {
  const Dataset training = mixed(400, 1);
  const Dataset test = mixed(400, 2);
  const Model blended = trained(training, "auto");
  EXPECT_TRUE(blended.wants_table());
  EXPECT_GT(value_on(test, blended), value_on(test, trained(training, "linear")) + 0.1);
}

TEST(TableTrees, ManyCategoriesAreNoReasonAgainstTrees) {
  const Model model = trained(mixed(1200, 1, 300), "auto");
  ASSERT_TRUE(model.encoder.sparse);
  bool tried = false;
  for (const auto& learner : model.history["blend"]["learners"])
    tried = tried || learner["learner"] == "random forest";
  EXPECT_TRUE(tried);
}

TEST(TableTrees, AreTheSameAfterALoad) {
  const Model model = trained(mixed(200, 1), "auto", "linear,forest,boosted");
  const std::string path = (std::filesystem::temp_directory_path() / "mmo_table_trees.mmo").string();
  save_model(model, path, true);
  const Model loaded = load_model(path);
  std::filesystem::remove(path);
  const Dataset test = mixed(100, 2);
  EXPECT_TRUE(loaded.wants_table());
  EXPECT_EQ(score(loaded, prepare(loaded, test)).values, score(model, prepare(model, test)).values);
}

TEST(TableTrees, FindTheirColumnsByNameAndTheirCategories) {
  const Model model = trained(mixed(200, 1), "auto", "linear,forest,boosted");
  const Dataset test = mixed(100, 2);
  Dataset other = permuted(test);
  align_columns(other, model.encoder.inputs());
  EXPECT_EQ(score(model, prepare(model, other)).values, score(model, prepare(model, test)).values);
}

TEST(TableTrees, ACategoryThatIsNewIsMissing) {
  const Model model = trained(mixed(200, 1), "auto", "linear,forest,boosted");
  Dataset fresh = mixed(100, 2);
  Dataset gap = fresh;
  fresh.features[1].categories.emplace_back("elsewhere");
  std::get<DenseMatrix>(fresh.x)(7, 1) = 6;
  std::get<DenseMatrix>(gap.x)(7, 1) = missing;
  align_columns(fresh, model.encoder.inputs());
  ASSERT_EQ(fresh.notes.size(), 1U);
  EXPECT_NE(fresh.notes[0].find("elsewhere"), std::string::npos);
  EXPECT_EQ(score(model, prepare(model, fresh)).values, score(model, prepare(model, gap)).values);
}

TEST(TableTrees, AreTheSameForAnyNumberOfThreads) {
  const Dataset training = mixed(200, 1);
  set_threads(1);
  const std::string one = model_bytes(trained(training, "auto"));
  set_threads(2);
  const std::string two = model_bytes(trained(training, "auto"));
  set_threads(0);
  EXPECT_EQ(one, two);
}

TEST(TableTrees, SeeTheRowsOfAValidationFile) {
  const Dataset training = mixed(400, 1);
  const Dataset valid = mixed(200, 3);
  TrainOptions options;
  options.metric = parse_metric("micro-f1");
  options.method = "forest";
  options.valid = &valid;
  EXPECT_GT(value_on(mixed(400, 2), train(training, options).model), 0.7);
}

TEST(TableTrees, WantTheTableAndHaveNoOnnx) {
  const Model model = trained(mixed(200, 1), "forest");
  const Dataset test = mixed(20, 2);
  EXPECT_THROW((void)score(model, prepare(model, test).encoded), ModelError);
  const auto path = std::filesystem::temp_directory_path() / "mmo_table_trees.onnx";
  EXPECT_THROW(export_onnx(model, path.string(), true), ModelError);
  EXPECT_FALSE(std::filesystem::exists(path));
}

// Numbers without gaps need no table of their own: their models are those of encoded features.
TEST(TableTrees, OfNumbersAloneShareTheEncodedFeatures) {
  Dataset numbers = mixed(200, 1);
  numbers.features[1].categories.clear();
  for (float& value : std::get<DenseMatrix>(numbers.x).values.own()) value = std::isnan(value) ? 0 : value;
  const Model model = trained(numbers, "forest");
  EXPECT_FALSE(model.others.empty());
  EXPECT_FALSE(model.wants_table());
}

}  // namespace
}  // namespace mmo
