#include "study/paper_study.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "mmo/core/error.h"
#include "mmo/data/generate.h"
#include "mmo/data/load.h"
#include "mmo/split/split.h"
#include "study/paper_table.h"

namespace mmo::study {
namespace {

namespace fs = std::filesystem;
const std::string mulan = std::string(MMO_TEST_SHARED_DATA) + "/mulan";

TEST(PaperTable, HasAll24CellsWithMmoOnTop) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const PaperCell& cell : paper_table()) {
    seen.insert({cell.set, cell.metric});
    EXPECT_GE(cell.mmo, std::max({cell.binary_relevance, cell.algorithm1, cell.macro_thres}))
        << cell.set << cell.metric;
  }
  EXPECT_EQ(seen.size(), 24U);
}

TEST(RealDataPaper, FollowsTheProtocol) {
  if (!fs::exists(mulan)) GTEST_SKIP() << "no shared data";
  const PaperSet cal500(mulan, "cal500");
  ASSERT_TRUE(cal500.splits());
  const TrainTestPair first = cal500.run(PaperVariant::primary, 0);
  EXPECT_EQ(first.train.rows(), 400U);
  EXPECT_EQ(first.test.rows(), 102U);
  EXPECT_EQ(first.train.labels(), 124U);
  EXPECT_NE(first.test.y.indices, cal500.run(PaperVariant::primary, 1).test.y.indices);
  EXPECT_EQ(first.test.y.indices, cal500.run(PaperVariant::primary, 0).test.y.indices);
  EXPECT_EQ(cal500.run(PaperVariant::half_split, 0).train.rows(), 251U);
  EXPECT_LT(cal500.run(PaperVariant::train_count, 0).train.labels(), 124U);

  const PaperSet birds(mulan, "birds");
  EXPECT_FALSE(birds.splits());
  const TrainTestPair pair = birds.run(PaperVariant::primary, 0);
  EXPECT_EQ(pair.train.rows(), 322U);
  EXPECT_EQ(pair.test.rows(), 323U);
  EXPECT_EQ(pair.train.labels(), 12U);
  EXPECT_EQ(pair.train.label_names, pair.test.label_names);
  const TrainTestPair few = birds.run(PaperVariant::few_features, 0);
  EXPECT_EQ(feature_cols(few.train.x), 8U);
  EXPECT_EQ(feature_cols(few.test.x), 8U);
  const TrainTestPair dropped = birds.run(PaperVariant::dropped, 0);
  const double kept =
      static_cast<double>(dropped.train.y.positives()) / static_cast<double>(pair.train.y.positives());
  EXPECT_NEAR(kept, 0.8, 0.07);  // three standard deviations of some 300 draws
  EXPECT_EQ(dropped.test.y.indices, pair.test.y.indices);
}

// Four small sets in the folder's layout.
class Study : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("mmo-study-" + std::to_string(::getpid()));
    for (const std::string name : {"scene", "birds", "emotions", "cal500"}) {
      fs::create_directories(folder_ / name);
      GenerateOptions options;
      options.rows = 502;
      options.features = 6;
      options.labels = 6;
      const Dataset all = generate_dataset(options);
      SaveOptions save;
      if (name == "cal500") {
        save_dataset(all, (folder_ / name / "cal500.arff").string(), save);
        continue;
      }
      const Split split = random_split(all.rows(), 0.8, 0);
      save_dataset(take_rows(all, split.train), (folder_ / name / (name + "-train.arff")).string(), save);
      save_dataset(take_rows(all, split.test), (folder_ / name / (name + "-test.arff")).string(), save);
      fs::rename(folder_ / name / (name + "-train.xml"), folder_ / name / (name + ".xml"));
    }
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(Study, GoesOnWhereItStopped) {
  StudyOptions options;
  options.data = folder_.string();
  options.runs = 2;
  options.methods = {"br"};
  nlohmann::ordered_json results;
  int saved = 0;
  options.save = [&](const nlohmann::ordered_json&) {
    if (++saved == 5) throw Interrupted();
  };
  EXPECT_THROW(run_study(options, results), Interrupted);
  options.save = [&](const nlohmann::ordered_json&) { ++saved; };
  run_study(options, results);
  EXPECT_EQ(saved, 24);  // every cell once
  run_study(options, results);
  EXPECT_EQ(saved, 24);
  // A cell of another version is computed anew.
  auto& old = results["cells"]["primary"]["scene"]["macro-f1"]["br"];
  const nlohmann::ordered_json now = old["values"];
  old = {{"values", {0.1, 0.2}}, {"seconds", 1.0}, {"made_by", "mmo 0.0.0"}};
  run_study(options, results);
  EXPECT_EQ(saved, 25);
  // The report says what the plan still lacks.
  const std::string report = study_markdown(results);
  EXPECT_NE(report.find("**Incomplete**"), std::string::npos);
  EXPECT_NE(report.find("`linear` "), std::string::npos);
  EXPECT_EQ(report.find("`br` "), std::string::npos);
  EXPECT_EQ(results["cells"]["primary"]["scene"]["macro-f1"]["br"]["values"], now);
  options.again = true;
  run_study(options, results);
  EXPECT_EQ(saved, 49);

  const auto values = results["cells"]["primary"]["cal500"]["micro-f1"]["br"]["values"];
  EXPECT_EQ(values.size(), 2U);
  EXPECT_NE(report.find("## The paper's Table 2"), std::string::npos);
  EXPECT_NE(report.find("0.5019"), std::string::npos);
  EXPECT_NE(report.find("in 0 of 0 cells"), std::string::npos);  // auto was not run
}

TEST(StudyReport, CountsWinsFromTheDocument) {
  nlohmann::ordered_json results{{"version", "x"}, {"runs", 2}};
  for (const PaperCell& cell : paper_table()) {
    const double shift = std::string(cell.metric) == "macro-f1" ? -0.01 : 0.01;
    results["cells"]["primary"][cell.set][cell.metric]["linear"]["values"] = {cell.mmo + shift - 0.005,
                                                                              cell.mmo + shift + 0.005};
  }
  const std::string report = study_markdown(results);
  EXPECT_NE(report.find("better than its MMO in 20 of 24 cells"), std::string::npos) << report;
  EXPECT_NE(
      report.find("Not reached: scene macro-f1 (-0.0100, standard error 0.0050; the best of all methods "
                  "here is at -0.0100)"),
      std::string::npos)
      << report;
}

TEST(StudyPlan, HoldsEveryCellOnce) {
  const auto plan = study_plan();
  std::set<std::string> seen;
  for (const StudyCell& c : plan)
    seen.insert(std::to_string(static_cast<int>(c.variant)) + c.set + " " + c.metric + " " + c.method);
  EXPECT_EQ(seen.size(), plan.size());
}

}  // namespace
}  // namespace mmo::study
