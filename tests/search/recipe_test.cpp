#include "mmo/search/recipe.h"

#include <gtest/gtest.h>

#include <string>

#include "mmo/core/error.h"

namespace mmo {
namespace {

std::string refusal(const std::string& method, const std::map<std::string, std::string>& settings) {
  try {
    (void)make_recipe(method, Effort::standard, settings);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Recipe, UnknownNamesListTheCandidates) {
  EXPECT_NE(refusal("bogus", {}).find("auto, linear, kernel, forest, boosted, br"), std::string::npos);
  EXPECT_NE(refusal("auto", {{"bogus", "1"}}).find("transform, loss, l2"), std::string::npos);
  EXPECT_NE(refusal("auto", {{"loss", "cubic"}}).find("both, logistic, hinge"), std::string::npos);
  EXPECT_NE(refusal("auto", {{"tau", "-1"}}).find("from 0 to 10"), std::string::npos);
}

// The user's map is sorted by key: l2 would come before the loss whose path it narrows.
TEST(Recipe, SettingsApplyInTheTablesOrder) {
  const Recipe recipe = make_recipe("auto", Effort::standard, {{"l2", "0.1"}, {"loss", "logistic"}});
  EXPECT_EQ(recipe.logistic_path, std::vector<double>{0.1});
  EXPECT_TRUE(recipe.hinge_path.empty());
}

TEST(Recipe, EffortChangesThePaths) {
  const Recipe standard = make_recipe("auto", Effort::standard, {});
  const Recipe thorough = make_recipe("auto", Effort::thorough, {});
  EXPECT_EQ(thorough.hinge_path.size(), 2 * standard.hinge_path.size() - 1);
  EXPECT_EQ(thorough.hinge_path.front(), standard.hinge_path.front());
  EXPECT_EQ(thorough.hinge_path.back(), standard.hinge_path.back());
  const Recipe quick = make_recipe("auto", Effort::quick, {});
  EXPECT_TRUE(quick.logistic_path.empty());
  EXPECT_LT(quick.dense_maps.size(), standard.dense_maps.size());
}

TEST(Recipe, RefusesSettingsWithoutEffect) {
  EXPECT_NE(refusal("auto", {{"loss", "hinge"}, {"lambda", "scan"}}).find("logistic loss"),
            std::string::npos);
  EXPECT_NE(refusal("asl", {{"l2", "0.1"}}).find("by Adam"), std::string::npos);
  EXPECT_NE(refusal("forest", {{"transform", "arcsinh"}}).find("linear models"), std::string::npos);
  EXPECT_NE(refusal("auto", {{"learners", "boosted"}, {"tau", "1"}}).find("linear models"),
            std::string::npos);
  EXPECT_NE(refusal("mmo", {{"learners", "linear,forest"}}).find("learners"), std::string::npos);
}

TEST(Recipe, EveryListedMethodCanBeMade) {
  for (const MethodInfo& method : known_methods())
    EXPECT_EQ(make_recipe(method.name, Effort::standard, {}).name, method.name);
}

}  // namespace
}  // namespace mmo
