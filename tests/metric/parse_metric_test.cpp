#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>

#include "mmo/core/error.h"
#include "mmo/metric/metric.h"
#include "mmo/metric/ratio_expression.h"

namespace mmo {
namespace {

// The message of the error that parsing throws; empty when it throws none.
std::string complaint(const std::string& text) {
  try {
    static_cast<void>(parse_metric(text));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A file that vanishes with the test.
struct TemporaryFile {
  explicit TemporaryFile(const std::string& content)
      : path(std::filesystem::temp_directory_path() /
             ("mmo_metric_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".json")) {
    std::ofstream(path) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::filesystem::path path;
};

TEST(ParseMetric, NamesAndAverages) {
  EXPECT_EQ(parse_metric("f1").name, "micro-f1");
  EXPECT_EQ(parse_metric("MICRO_F1").name, "micro-f1");
  EXPECT_EQ(parse_metric("instance-f1").name, "samples-f1");
  EXPECT_EQ(parse_metric("samples-f1").average, Average::samples);
  EXPECT_EQ(parse_metric("weighted-jaccard").average, Average::weighted);
  EXPECT_EQ(parse_metric("f1_macro").name, "macro-f1");
  EXPECT_EQ(parse_metric("macro:f1").name, "macro-f1");
  EXPECT_EQ(parse_metric("hamming_accuracy").name, "hamming-accuracy");
  EXPECT_EQ(parse_metric("macro-hamming-accuracy").average, Average::macro);
  EXPECT_EQ(parse_metric("macro-f0.7").ratios[0].denominator.fn, 0.7 * 0.7);
  for (const std::string& name : known_metrics()) EXPECT_EQ(parse_metric(name).name, name);
}

TEST(ParseMetric, ZeroDivision) {
  EXPECT_EQ(parse_metric("f1").zero_division, 0);
  EXPECT_EQ(parse_metric("f1", 1).zero_division, 1);
  EXPECT_TRUE(std::isnan(parse_metric("f1", std::numeric_limits<double>::quiet_NaN()).zero_division));
  EXPECT_THROW(static_cast<void>(parse_metric("f1", 0.5)), UsageError);
}

TEST(ParseMetric, UnknownNamesListCandidatesNearestFirst) {
  EXPECT_TRUE(contains(complaint("micro-f11x"), "did you mean micro-f1?"));
  EXPECT_TRUE(contains(complaint("jacard"), "did you mean micro-jaccard?"));
  EXPECT_TRUE(contains(complaint("macro-jacard"), "did you mean macro-jaccard?"));
  EXPECT_TRUE(contains(complaint("macro-recal"), "weighted-f0.5"));
  EXPECT_FALSE(complaint("").empty());
  EXPECT_TRUE(contains(complaint("f0"), "β must be positive"));
  EXPECT_TRUE(contains(complaint("f1e200"), "β must be positive"));
}

TEST(ParseMetric, RefusesWhatCannotBeTrained) {
  EXPECT_TRUE(
      contains(complaint("accuracy"), "accuracy is ambiguous: say hamming-accuracy or subset-accuracy"));
  EXPECT_TRUE(contains(complaint("subset_accuracy"), "evaluation only"));
  EXPECT_TRUE(contains(complaint("hamming-loss"), "hamming-accuracy"));
}

TEST(ParseRatio, LinearCombinations) {
  const CountRatio expected{.numerator = {.tp = 3}, .denominator = {.tp = 3, .fp = 1, .fn = 2}};
  for (const char* text : {"(3*TP)/(3*TP+FP+2*FN)", "3TP/(3TP + FP + 2FN)", "3 tp / (3 tp + fp + fn*2)",
                           "TP*3/(FP+2(TP+FN)+TP)", "(6TP)/(2(3TP+FP+2FN))*1", "-(3TP)/-(3TP+FP+2FN)"}) {
    const CountRatio parsed = parse_ratio(text);
    const double scale = parsed.numerator.tp / 3;
    EXPECT_DOUBLE_EQ(parsed.denominator.tp, expected.denominator.tp * scale) << text;
    EXPECT_DOUBLE_EQ(parsed.denominator.fp, expected.denominator.fp * scale) << text;
    EXPECT_DOUBLE_EQ(parsed.denominator.fn, expected.denominator.fn * scale) << text;
    EXPECT_DOUBLE_EQ(parsed.denominator.tn, 0) << text;
  }
  const CountRatio specificity = parse_ratio("1 - FP/(FP+TN)");
  EXPECT_EQ(specificity.numerator, (CountWeights{.tn = 1}));
  EXPECT_EQ(specificity.denominator, (CountWeights{.fp = 1, .tn = 1}));
  EXPECT_EQ(parse_ratio("TP/(TP+FN) + 0.5*TP/(TP+FN)").numerator.tp, 1.5);
}

TEST(ParseRatio, RefusesWithReasonAndColumn) {
  EXPECT_TRUE(contains(complaint("(TP+1)/(TP+FP)"), "a number can't be added to a count"));
  EXPECT_TRUE(contains(complaint("TP*TP/(TP+FP)"), "product of counts"));
  EXPECT_TRUE(contains(complaint("1/(TP+FP)"), "number divided by counts"));
  EXPECT_TRUE(contains(complaint("TP+TN*2"), "not a ratio"));
  EXPECT_TRUE(contains(complaint("TP/TP+FP"), "parentheses around the denominator"));
  EXPECT_TRUE(contains(complaint("TP/(TP+FP)/(TP+FN)"), "only one division"));
  EXPECT_TRUE(contains(complaint("TP/(TP+FP)+TP/(TP+FN)"), "different denominators"));
  EXPECT_TRUE(contains(complaint("TP/(TP+XY)"), "column 8: unknown count 'XY'"));
  EXPECT_TRUE(contains(complaint("TP/(TP+FP"), "closing ')'"));
  EXPECT_TRUE(contains(complaint("TP/(TP+FP))"), "unexpected ')'"));
  EXPECT_TRUE(contains(complaint("TP/"), "expression ends"));
  EXPECT_TRUE(contains(complaint("TP/0"), "division by 0"));
  EXPECT_TRUE(contains(complaint("TP & FP/(TP)"), "unexpected '&'"));
  EXPECT_TRUE(contains(complaint("mikro:TP/(TP+FP)"), "before the colon"));
  EXPECT_TRUE(contains(complaint(std::string(5000, '(') + "TP"), "nested too deeply"));
}

// Beyond these, counts times coefficients overflow: the value was 0 or "nan ± nan", in silence.
TEST(Coefficients, BeyondWhatCanBeCountedWithAreRefused) {
  for (const char* text : {"(1e307*TP)/(1e307*TP+FP+FN)", "TP/(1e200*TP+1e200*FP)",
                           "1e-40*TP/(1e-40*TP+1e-40*FP)", "f1e20", "macro:(4e30*TP)/(4e30*TP+4e30*FP)"}) {
    EXPECT_TRUE(contains(complaint(text), "only the proportions of coefficients matter")) << complaint(text);
  }
  EXPECT_TRUE(contains(complaint("(2e307*TP)/(2e307*TP+2e307*FP)"), "2e+307 of TP"));
  EXPECT_EQ(parse_metric("(1e30*TP)/(1e30*TP+1e30*FP)").ratios[0].numerator.tp, 1e30);
}

TEST(DenominatorSign, MixedRefusedNegativeNegatedZeroRefused) {
  EXPECT_TRUE(contains(complaint("TP/(TP-FP)"), "positive for some predictions and negative for others"));
  EXPECT_TRUE(contains(complaint("TP/(TP-TP)"), "0 for every prediction"));
  EXPECT_TRUE(contains(complaint("TP/(FP+FN)"), "infinite"));
  EXPECT_TRUE(contains(complaint("(TP+FN)/(TP+FP+FN+TN)"), "same whatever is predicted"));
  EXPECT_TRUE(contains(complaint("(2TP+2FP)/(TP+FP)"), "same whatever is predicted"));
  EXPECT_EQ(parse_metric("macro:-2TP/(-2TP-FP-FN)").ratios[0], parse_metric("f1").ratios[0]);
}

TEST(MetricFile, PaperFormAndCountsAgree) {
  const TemporaryFile paper(R"({"average": "macro", "alpha": [[0.5,0.5,0.5,0.5],[0.25,0.25,0.25,0.25]],
                               "beta": [[0,0.5,0.5,1],[-0.25,0.25,0.25,0.75]]})");
  const TemporaryFile counts(R"({"average": "macro", "numerator": [{"TP": 2}, {"TP": 1}],
                                "denominator": [{"TP": 2, "FP": 1, "FN": 1}, {"TP": 1, "FP": 1, "FN": 1}]})");
  const Metric a = parse_metric(paper.path.string());
  const Metric b = parse_metric(counts.path.string());
  EXPECT_EQ(a.average, Average::macro);
  ASSERT_EQ(a.ratios.size(), 2U);
  EXPECT_EQ(a.ratios, b.ratios);
  EXPECT_EQ(a.ratios[0], parse_metric("f1").ratios[0]);
  EXPECT_EQ(a.ratios[1], parse_metric("jaccard").ratios[0]);
}

TEST(MetricFile, SingleRowServesAllLabelsAndPrefixGivesTheAverage) {
  const TemporaryFile file(R"({"numerator": {"TP": 2}, "denominator": {"TP": 2, "FP": 1, "FN": 1}})");
  EXPECT_EQ(parse_metric(file.path.string()).average, Average::micro);
  EXPECT_EQ(parse_metric("samples:" + file.path.string()).average, Average::samples);
  EXPECT_EQ(parse_metric(file.path.string()).ratios.size(), 1U);
}

TEST(MetricFile, SignIsCheckedOverTheSumForMicroAndPerLabelForMacro) {
  const std::string body =
      R"("numerator": [{"TP": 1}, {"TP": -1}], "denominator": [{"TP": 1, "FP": 1}, {"TP": -1, "FP": -1}]})";
  const TemporaryFile micro(R"({"average": "micro", )" + body);
  const TemporaryFile macro(R"({"average": "macro", )" + body);
  EXPECT_TRUE(contains(complaint(micro.path.string()), "TP of label 1"));
  const Metric metric = parse_metric(macro.path.string());
  EXPECT_EQ(metric.ratios[0], metric.ratios[1]);
}

// A plausible guess is that the four numbers weigh TP, FP, FN, TN.
TEST(MetricFile, TheOrderOfCoefficientsIsExplainedWhereItIsTakenForThatOfCounts) {
  const TemporaryFile paper(R"({"alpha": [2, 0, 0, 0], "beta": [2, 1, 1, 0]})");
  EXPECT_TRUE(contains(complaint(paper.path.string()), "weigh ŷy, y, ŷ and 1"));
  EXPECT_TRUE(contains(complaint(paper.path.string()), R"({"numerator": {"TP": 2})"));
  const TemporaryFile counts(R"({"numerator": [2, 0, 0, 0], "denominator": [2, 1, 1, 0]})");
  EXPECT_TRUE(contains(complaint(counts.path.string()), "name the counts"));
}

TEST(MetricFile, BadFilesAreNamed) {
  for (const char* body :
       {"", "[1,2]", "{}", R"({"alpha": [1,2,3,4]})", R"({"alpha": [[1,2,3]], "beta": [[1,2,3,4]]})",
        R"({"alpha": [[1,2,3,"x"]], "beta": [[1,2,3,4]]})",
        R"({"numerator": {"TPP": 1}, "denominator": {"TP": 1}})",
        R"({"numerator": {"TP": 1}, "denominator": {"TP": 1, "FP": 1}, "avrage": "micro"})",
        R"({"numerator": {"TP": 1}, "denominator": {"TP": 1, "FP": 1}, "average": "median"})",
        R"({"numerator": [{"TP": 1},{"TP": 1}], "denominator": [{"TP": 1},{"TP": 1},{"TP": 1}]})"}) {
    const TemporaryFile file(body);
    EXPECT_TRUE(contains(complaint(file.path.string()), file.path.string())) << body;
  }
  EXPECT_THROW(static_cast<void>(parse_metric("no/such/file.json")), IoError);
}

}  // namespace
}  // namespace mmo
