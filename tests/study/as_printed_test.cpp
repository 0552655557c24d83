#include "study/as_printed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "mmo/cost/cost.h"
#include "study/adam_fit.h"
#include "study/paper_table.h"
#include "study/printed_scan.h"

namespace mmo::study {
namespace {

using nlohmann::ordered_json;
const std::string mulan = std::string(MMO_TEST_SHARED_DATA) + "/mulan";

// Two columns of one label: the sign of x says the label.
Part signs(std::size_t rows) {
  Part part;
  DenseMatrix x(rows, 1);
  part.y.cols = 1;
  for (std::size_t i = 0; i < rows; ++i) {
    x(i, 0) = i % 2 == 0 ? 1.0F : -1.0F;
    part.y.push_row(i % 2 == 0 ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>{});
  }
  part.x = std::move(x);
  return part;
}

TEST(AdamFit, LearnsUnderEveryTau) {
  const Part part = signs(40);
  for (const double tau : {0.0, 2.0}) {
    const SurrogateLoss loss{.costs = {LabelCost{1.2, 0.8}}, .tau = tau};
    const DenseMatrix scores = score(part.x, fit_adam(part, loss, 600, 0));
    EXPECT_EQ(predict_at_zero(scores).indices, part.y.indices) << tau;
    EXPECT_EQ(predict_at_zero(scores).offsets, part.y.offsets) << tau;
  }
}

// A label that the feature says nothing of: the fit's threshold is where the costs balance, P = b / (a + b).
TEST(AdamFit, CostsMoveTheDecision) {
  Part part = signs(100);
  part.y = {};
  part.y.cols = 1;
  for (std::size_t i = 0; i < 100; ++i)  // 30 % positives
    part.y.push_row(i % 10 < 3 ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>{});
  const auto predicted = [&](double lambda) {
    const SurrogateLoss loss{.costs = {label_cost(parse_metric("f1").ratio(0), lambda)}};
    return predict_at_zero(score(part.x, fit_adam(part, loss, 1000, 0))).positives();
  };
  EXPECT_EQ(predicted(0.2), 100U);  // predicted above P = 0.1
  EXPECT_EQ(predicted(1.0), 0U);    // above P = 0.5
}

TEST(PaperTable, ItsOwnSpreadsArePrinted) {
  for (const PaperCell& cell : paper_table()) {
    EXPECT_GT(cell.spread.mmo, 0);
    EXPECT_LT(cell.spread.algorithm1, 0.03);
  }
}

// Jaccard is at most F1, label by label, row by row and of sums: where the paper's table has it the other way
// round, one of the two is a misprint.
TEST(PaperTable, JaccardAboveF1IsAMisprint) {
  std::vector<std::string> impossible;
  for (const PaperCell& jaccard : paper_table()) {
    const std::string metric = jaccard.metric;
    const std::size_t at = metric.find("-jaccard");
    if (at == std::string::npos) continue;
    for (const PaperCell& f1 : paper_table()) {
      if (f1.set != std::string(jaccard.set) || f1.metric != metric.substr(0, at) + "-f1") continue;
      if (jaccard.binary_relevance > f1.binary_relevance) impossible.push_back(metric + " " + f1.set + " BR");
      if (jaccard.mmo > f1.mmo || jaccard.algorithm1 > f1.algorithm1 || jaccard.macro_thres > f1.macro_thres)
        impossible.push_back(metric + " " + f1.set);
    }
  }
  EXPECT_EQ(impossible, std::vector<std::string>{"macro-jaccard emotions BR"});
}

// One partition, one epoch: every cell has every method, what is there is not computed again, and the page
// and the plot are made of it.
TEST(AsPrinted, FillsEveryCellAndGoesOn) {
  if (!std::filesystem::exists(mulan)) GTEST_SKIP() << "no shared data";
  PrintedOptions options;
  options.data = mulan;
  options.runs = 1;
  options.epochs = 1;
  options.lambda_step = 0.5;
  int saved = 0;
  options.save = [&](const ordered_json&) { ++saved; };
  ordered_json results;
  run_as_printed(options, results);
  EXPECT_EQ(saved, 8);
  const ordered_json& run = results["units"]["emotions"]["f1"]["runs"][0];
  for (const char* method : {"BR", "Algorithm 1", "Macro-Thres", "MMO", "τ = 0.5", "τ = 2"}) {
    EXPECT_TRUE(run["micro-f1"].contains(method)) << method;
    EXPECT_TRUE(run["macro-f1"].contains(method)) << method;
  }
  EXPECT_TRUE(run["samples-f1"].contains("MMO, joint"));
  EXPECT_FALSE(run["macro-f1"].contains("MMO, joint"));
  run_as_printed(options, results);
  EXPECT_EQ(saved, 8);
  const std::string page = as_printed_markdown(results);
  EXPECT_NE(page.find("| micro-f1 | emotions |"), std::string::npos);
  EXPECT_NE(page.find("| emotions | f1 | 3 (3) |"), std::string::npos);
  EXPECT_NE(lambda_curves_svg(results).find("cal500, micro-jaccard"), std::string::npos);
}

}  // namespace
}  // namespace mmo::study
