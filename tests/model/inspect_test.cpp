#include "mmo/model/inspect.h"

#include <gtest/gtest.h>

#include "model/random_model.h"

namespace mmo {
namespace {

Model small_model() {
  Random random(1);
  Model model = random_model({.columns = 3, .labels = 2, .infinite_thresholds = true}, random);
  model.weights.values = {0.5F, 0, -2, 0, 1, 3};  // label 0: .5 −2 1; label 1: 0 0 3
  model.encoder.columns = {{"length", {}}, {"colour", {"red", "blue"}}};
  model.encoder.raw_columns = 2;
  return model;
}

TEST(FeatureWeights, AreSortedByMagnitudeAndNamed) {
  const Model model = small_model();
  const auto heavy = FeatureWeights(model).heaviest(0, 2);
  ASSERT_EQ(heavy.size(), 2U);
  EXPECT_EQ(heavy[0].name, "colour=red");
  EXPECT_EQ(heavy[0].weight, -2);
  EXPECT_EQ(heavy[1].name, "colour=blue");
  ASSERT_EQ(FeatureWeights(model).heaviest(1, 2).size(), 1U);  // zeros are no features
}

TEST(FeatureWeights, CountsIdfAndSkipsConstantColumns) {
  Model model = small_model();
  model.feature_map.kind = FeatureMap::Kind::standardise;
  model.feature_map.centre = {0, 0, 0};
  model.feature_map.scale = {7, 0, 7};
  EXPECT_EQ(FeatureWeights(model).heaviest(0, 1)[0].name, "colour=blue");

  model = small_model();
  model.text = Vectorizer(TextOptions{}, {"aa", "bb", "cc"}, {10, 1, 1});
  EXPECT_EQ(FeatureWeights(model).heaviest(0, 1)[0].name, "aa");
  EXPECT_EQ(FeatureWeights(model).heaviest(0, 1)[0].weight, 5);
}

TEST(ModelCard, TellsMetricStagesAndRule) {
  const Model model = small_model();
  const nlohmann::json card = model_card(model, 3);
  EXPECT_EQ(card["metric"]["name"], "micro-f1");
  EXPECT_EQ(card["features"], 3);
  EXPECT_EQ(card["labels"], 2);
  EXPECT_EQ(card["weights"]["nonzero"], 4);
  EXPECT_EQ(card["rule"]["never_predicted"], 1);
  EXPECT_EQ(card["rule"]["always_predicted"], 1);
  EXPECT_EQ(card["label_table"][0]["threshold"], "never");
  EXPECT_EQ(card["label_table"][1]["heaviest"][0]["feature"], "colour=blue");
  EXPECT_EQ(card["history"], model.history);

  const std::string text = model_card_text(card, 1);
  EXPECT_NE(text.find(formula(model.metric.ratios[0])), std::string::npos) << text;
  for (const char* part : {"micro-f1", "identity", "3 features × 2 labels", "label 0", "colour=red -2",
                           "1 labels never predicted", "lambda", "1 more labels"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(ModelCard, EveryKindHasAText) {
  Random random(2);
  Model model = random_model(
      {.mix = true, .rule = DecisionRule::Kind::expected_count, .min_labels = 1, .max_labels = 3}, random);
  model.metric.ratios.assign(5, model.metric.ratios[0]);
  model.label_names.clear();
  model.rule.thresholds.clear();
  model.history = nullptr;
  const std::string text = model_card_text(model_card(model, 0), 10);
  for (const char* part :
       {"one ratio per label", "expected-count", "at least 1 per row", "at most 3 per row"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace mmo
