#include "mmo/report/compare.h"

#include <gtest/gtest.h>

#include "mmo/core/error.h"
#include "mmo/data/generate.h"
#include "mmo/split/split.h"

namespace mmo {
namespace {

Dataset small_data() {
  GenerateOptions options;
  options.rows = 200;
  options.features = 10;
  options.labels = 5;
  return generate_dataset(options);
}

TEST(MethodSpec, NameAndSettings) {
  const MethodSpec plain = parse_method_spec("br");
  EXPECT_EQ(plain.method, "br");
  EXPECT_TRUE(plain.settings.empty());
  const MethodSpec changed = parse_method_spec("auto[stack=off,loss=hinge]");
  EXPECT_EQ(changed.method, "auto");
  EXPECT_EQ(changed.settings.at("stack"), "off");
  EXPECT_EQ(changed.settings.at("loss"), "hinge");
  const auto list = parse_method_list("br,auto[stack=off,loss=hinge],koyejo");
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[1].text, "auto[stack=off,loss=hinge]");
}

TEST(MethodSpec, RefusesWhatItCannotRead) {
  for (const char* text :
       {"", "br,", "nothing", "auto[", "auto[stack]", "[stack=off]", "auto[stack=off", "auto[=off]"}) {
    EXPECT_THROW(static_cast<void>(parse_method_list(text)), UsageError) << text;
  }
}

TEST(Compare, SameMethodTwiceIsNotDifferent) {
  const Dataset data = small_data();
  CompareOptions options;
  options.methods = {parse_method_spec("koyejo"), parse_method_spec("koyejo"), parse_method_spec("br")};
  options.metrics = {parse_metric("micro-f1"), parse_metric("macro-f1")};
  options.runs = 3;
  options.folds = 3;
  const Comparison result = compare(data, nullptr, options);
  ASSERT_EQ(result.cells.size(), 2U);
  for (const auto& row : result.cells) {
    EXPECT_EQ(row[0].values, row[1].values);
    EXPECT_EQ(row[1].against_first.p, 1);
    EXPECT_EQ(row[0].values.size(), 3U);
    EXPECT_LT(row[2].against_first.mean_difference, 0);  // a threshold of 0 is worse for F1
  }
}

// With a test set of its own the runs differ by their folds alone; br's fits don't depend on those unless L2
// does.
TEST(Compare, AFixedTestSetIsTheSameInEveryRun) {
  const Dataset all = small_data();
  const Split split = stratified_split(all.y, 0.3, 7);
  const Dataset train_part = take_rows(all, split.train);
  const Dataset test_part = take_rows(all, split.test);
  CompareOptions options;
  options.methods = {parse_method_spec("br[l2=0.1]")};
  options.metrics = {parse_metric("micro-f1")};
  options.runs = 2;
  options.folds = 3;
  const Comparison result = compare(train_part, &test_part, options);
  // The final fit starts from other folds: one of 300 cells may cross the threshold.
  EXPECT_NEAR(result.cells[0][0].values[0], result.cells[0][0].values[1], 5e-3);
}

TEST(Compare, EveryFormatHoldsTheNumbers) {
  Comparison c;
  c.methods = {"auto", "auto[l2-by=log-loss]"};
  c.metrics = {"micro-f1"};
  c.runs = 2;
  c.cells = {{{{0.5, 0.7}, 1.0, {}}, {{0.4, 0.5}, 2.0, {-0.15, 0.5}}}};
  for (const std::string& text : {comparison_text(c), comparison_markdown(c), comparison_latex(c)}) {
    for (const char* part : {"0.6000", "0.1414", "0.4500", "-0.1500", "0.500", "Wilcoxon", "micro-f1"})
      EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_NE(comparison_latex(c).find("\\textbf{0.6000"), std::string::npos);
  EXPECT_DOUBLE_EQ(comparison_json(c)["results"][1]["difference"].get<double>(), -0.15);
  EXPECT_FALSE(comparison_json(c)["results"][0].contains("p"));
  EXPECT_EQ(comparison_text(c).find("differ only by their folds"), std::string::npos);
  c.same_test = true;
  for (const std::string& text : {comparison_text(c), comparison_markdown(c), comparison_latex(c)})
    EXPECT_NE(text.find("differ only by their folds"), std::string::npos) << text;
  EXPECT_EQ(comparison_json(c)["runs_differ_by"], "folds");
}

TEST(MethodList, RefusesAMethodNamedTwice) {
  for (const char* text :
       {"br,auto,br", "br[l2=0.1],br[l2=0.1]", "auto[l2=1,stack=off],auto[stack=off,l2=1]"})
    EXPECT_THROW(static_cast<void>(parse_method_list(text)), UsageError) << text;
  EXPECT_EQ(parse_method_list("br,br[l2=0.1],br[l2=0.2]").size(), 3U);
}

}  // namespace
}  // namespace mmo
