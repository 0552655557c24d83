#include "mmo/eval/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "eval/small_matrices.h"
#include "mmo/core/error.h"
#include "mmo/core/parallel.h"

namespace mmo {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kTolerance = 1e-12;  // the two sides add the same few hundred doubles in another order

// Everything a metric can depend on, dense.
struct Problem {
  std::vector<std::string> truth, predicted, unknown;
  std::vector<float> row_weights, label_weights;
  [[nodiscard]] std::size_t rows() const { return truth.size(); }
  [[nodiscard]] std::size_t cols() const { return truth[0].size(); }

  [[nodiscard]] Counts cell(std::size_t i, std::size_t j) const {
    if (unknown[i][j] == '1') return {};
    const bool y = truth[i][j] == '1';
    const bool p = predicted[i][j] == '1';
    const double w = row_weights[i];
    return {.tp = p && y ? w : 0, .fp = p && !y ? w : 0, .fn = !p && y ? w : 0, .tn = !p && !y ? w : 0};
  }
};

Problem random_problem(std::uint64_t seed, std::size_t rows, std::size_t cols) {
  Random random(seed);
  Problem p{.truth = random_rows(random, rows, cols, 0.3),
            .predicted = random_rows(random, rows, cols, 0.3),
            .unknown = random_rows(random, rows, cols, 0.15),
            .row_weights = {},
            .label_weights = {}};
  for (std::size_t i = 0; i < rows; ++i) p.row_weights.push_back(static_cast<float>(random.uniform() + 0.1));
  for (std::size_t j = 0; j < cols; ++j)
    p.label_weights.push_back(static_cast<float>(random.uniform() + 0.1));
  return p;
}

double divide(double numerator, double denominator, double zero_division) {
  return std::fabs(denominator) < 1e-12 ? zero_division : numerator / denominator;
}

// eq:target-empirical with weights, written out over the dense cells.
double by_definition(const Metric& metric, const Problem& p) {
  double total_numerator = 0;
  double total_denominator = 0;
  double weighted_sum = 0;
  double weight_sum = 0;
  const auto add_mean = [&](double value, double weight) {
    if (std::isnan(value)) return;
    weighted_sum += weight * value;
    weight_sum += weight;
  };
  if (metric.average == Average::samples) {
    for (std::size_t i = 0; i < p.rows(); ++i) {
      double numerator = 0;
      double denominator = 0;
      for (std::size_t j = 0; j < p.cols(); ++j) {
        numerator += p.label_weights[j] * combine(metric.ratio(j).numerator, p.cell(i, j));
        denominator += p.label_weights[j] * combine(metric.ratio(j).denominator, p.cell(i, j));
      }
      add_mean(divide(numerator, denominator, metric.zero_division), p.row_weights[i]);
    }
    return weighted_sum / weight_sum;
  }
  for (std::size_t j = 0; j < p.cols(); ++j) {
    Counts counts;
    for (std::size_t i = 0; i < p.rows(); ++i) counts += p.cell(i, j);
    const double numerator = combine(metric.ratio(j).numerator, counts);
    const double denominator = combine(metric.ratio(j).denominator, counts);
    total_numerator += p.label_weights[j] * numerator;
    total_denominator += p.label_weights[j] * denominator;
    const double support = metric.average == Average::weighted ? counts.tp + counts.fn : 1;
    add_mean(divide(numerator, denominator, metric.zero_division), support * p.label_weights[j]);
  }
  if (metric.average == Average::micro)
    return divide(total_numerator, total_denominator, metric.zero_division);
  return weighted_sum / weight_sum;
}

TEST(Evaluate, MatchesTheDefinitionWithUnknownCellsAndWeights) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Problem p = random_problem(seed, 40, 7);
    const LabelMatrix labels = from_rows(p.truth);
    const LabelMatrix predicted = from_rows(p.predicted);
    const LabelMatrix unknown = from_rows(p.unknown);
    const Truth truth{.labels = &labels,
                      .unknown = &unknown,
                      .row_weights = p.row_weights,
                      .label_weights = p.label_weights};
    for (const std::string& name : known_metrics()) {
      for (const double zero_division : {0.0, 1.0, kNaN}) {
        const Metric metric = parse_metric(name, zero_division);
        EXPECT_NEAR(evaluate(metric, predicted, truth), by_definition(metric, p), kTolerance) << name;
      }
    }
  }
}

TEST(Evaluate, RatiosPerLabel) {
  const Problem p = random_problem(9, 30, 3);
  const LabelMatrix labels = from_rows(p.truth);
  const LabelMatrix predicted = from_rows(p.predicted);
  const LabelMatrix unknown = from_rows(p.unknown);
  const Truth truth{
      .labels = &labels, .unknown = &unknown, .row_weights = p.row_weights, .label_weights = p.label_weights};
  for (const Average average : {Average::micro, Average::macro, Average::samples, Average::weighted}) {
    const Metric metric{.name = "per label",
                        .average = average,
                        .ratios = {parse_metric("f1").ratios[0], parse_metric("hamming-accuracy").ratios[0],
                                   parse_metric("(2TP+0.1TN)/(2TP+FP+3FN+0.3TN)").ratios[0]},
                        .zero_division = 0};
    EXPECT_NEAR(evaluate(metric, predicted, truth), by_definition(metric, p), kTolerance);
  }
}

TEST(Evaluate, DoesNotDependOnTheNumberOfThreads) {
  const Problem p = random_problem(4, 20000, 3);  // several blocks of rows
  const LabelMatrix labels = from_rows(p.truth);
  const LabelMatrix predicted = from_rows(p.predicted);
  const Truth truth{.labels = &labels, .row_weights = p.row_weights};
  const Metric metric = parse_metric("macro-f1");
  set_threads(1);
  const double serial = evaluate(metric, predicted, truth);
  const Interval serial_interval = bootstrap(metric, predicted, truth, 20, 1);
  set_threads(3);
  EXPECT_EQ(evaluate(metric, predicted, truth), serial);
  EXPECT_EQ(bootstrap(metric, predicted, truth, 20, 1).low, serial_interval.low);
  set_threads(0);
  EXPECT_NEAR(serial,
              by_definition(metric,
                            [&] {
                              Problem known = p;
                              known.unknown.assign(p.rows(), std::string(p.cols(), '0'));
                              known.label_weights.assign(p.cols(), 1.0F);
                              return known;
                            }()),
              kTolerance);
}

TEST(Evaluate, AllCellsUnknownIsUndefined) {
  const LabelMatrix labels = from_rows({"10", "01"});
  const LabelMatrix all = from_rows({"11", "11"});
  const Truth truth{.labels = &labels, .unknown = &all};
  EXPECT_TRUE(std::isnan(evaluate(parse_metric("samples-hamming-accuracy", kNaN), labels, truth)));
  EXPECT_TRUE(std::isnan(evaluate(parse_metric("micro-f1", kNaN), labels, truth)));
  EXPECT_EQ(subset_accuracy(from_rows({"01", "10"}), truth), 1);
}

TEST(Evaluate, ShapesMustAgree) {
  const LabelMatrix labels = from_rows({"10", "01"});
  const Truth truth{.labels = &labels};
  const Metric f1 = parse_metric("f1");
  EXPECT_THROW(static_cast<void>(evaluate(f1, from_rows({"10"}), truth)), DataError);
  EXPECT_THROW(static_cast<void>(evaluate(f1, from_rows({"100", "000"}), truth)), DataError);
  Metric three = f1;
  three.ratios.resize(3, f1.ratios[0]);
  EXPECT_THROW(static_cast<void>(evaluate(three, labels, truth)), UsageError);
}

TEST(SubsetAccuracy, CountsExactRows) {
  const LabelMatrix labels = from_rows({"10", "01", "00", "11"});
  const LabelMatrix predicted = from_rows({"10", "11", "00", "00"});
  EXPECT_DOUBLE_EQ(subset_accuracy(predicted, {.labels = &labels}), 0.5);
  const std::vector<float> weights = {3, 1, 1, 1};
  EXPECT_DOUBLE_EQ(subset_accuracy(predicted, {.labels = &labels, .row_weights = weights}), 4.0 / 6);
}

TEST(StandardMetrics, NamesValuesAndUndefined) {
  // Label 2 is absent everywhere; row 1 is empty in both.
  const LabelMatrix labels = from_rows({"110", "000", "010"});
  const LabelMatrix predicted = from_rows({"100", "000", "110"});
  const Truth truth{.labels = &labels};
  const auto table = standard_metrics(predicted, truth, 0);
  ASSERT_EQ(table.size(), 18U);
  for (const NamedValue& entry : table) {
    if (entry.name == "subset-accuracy") continue;
    EXPECT_DOUBLE_EQ(entry.value, evaluate(parse_metric(entry.name), predicted, truth)) << entry.name;
    if (entry.name == "macro-f1" || entry.name == "samples-f1") {
      EXPECT_EQ(entry.undefined, 1U) << entry.name;
    }
    if (entry.name == "micro-f1" || entry.name == "hamming-accuracy") {
      EXPECT_EQ(entry.undefined, 0U);
    }
  }
  EXPECT_EQ(table.back().name, "subset-accuracy");
}

TEST(LabelTable, SupportAndRatios) {
  const LabelMatrix labels = from_rows({"110", "000", "010"});
  const LabelMatrix predicted = from_rows({"100", "000", "110"});
  const auto rows = label_table(count_labels(predicted, {.labels = &labels}), 0);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].support, 1);
  EXPECT_EQ(rows[0].predicted, 2);
  EXPECT_DOUBLE_EQ(rows[0].precision, 0.5);
  EXPECT_DOUBLE_EQ(rows[1].recall, 0.5);
  EXPECT_DOUBLE_EQ(rows[0].f1, 2.0 / 3);
  EXPECT_DOUBLE_EQ(rows[0].jaccard, 0.5);
  EXPECT_EQ(rows[2].support, 0);
  EXPECT_EQ(rows[2].counts.tn, 3);
}

TEST(Bootstrap, CoversTheValueAndShrinksWithData) {
  for (const char* name : {"micro-f1", "macro-f1", "samples-f1", "weighted-jaccard"}) {
    const Metric metric = parse_metric(name);
    double previous_width = 2;
    for (const std::size_t rows : {100, 1600}) {
      const Problem p = random_problem(rows, rows, 4);
      const LabelMatrix labels = from_rows(p.truth);
      const LabelMatrix predicted = from_rows(p.predicted);
      const Truth truth{.labels = &labels};
      const double value = evaluate(metric, predicted, truth);
      const Interval interval = bootstrap(metric, predicted, truth, 200, 7);
      EXPECT_LT(interval.low, value) << name;
      EXPECT_GT(interval.high, value) << name;
      EXPECT_LT(interval.high - interval.low, previous_width) << name;
      previous_width = (interval.high - interval.low) / 2;  // 16 × the rows: about a quarter
    }
  }
}

// The fast path for sums over rows is the same resampling as evaluating with multiplicities as weights.
TEST(Bootstrap, OneReplicateIsOneResample) {
  const Problem p = random_problem(11, 50, 4);
  const LabelMatrix labels = from_rows(p.truth);
  const LabelMatrix predicted = from_rows(p.predicted);
  const Truth truth{.labels = &labels};
  const Interval micro = bootstrap(parse_metric("micro-f1"), predicted, truth, 1, 3);
  EXPECT_EQ(micro.low, micro.high);
  // With one label micro and macro are the same number, by two code paths.
  std::vector<std::string> one_truth;
  std::vector<std::string> one_predicted;
  for (std::size_t i = 0; i < p.rows(); ++i) {
    one_truth.push_back(p.truth[i].substr(0, 1));
    one_predicted.push_back(p.predicted[i].substr(0, 1));
  }
  const LabelMatrix labels_1 = from_rows(one_truth);
  const LabelMatrix predicted_1 = from_rows(one_predicted);
  EXPECT_NEAR(bootstrap(parse_metric("micro-f1"), predicted_1, {.labels = &labels_1}, 1, 3).low,
              bootstrap(parse_metric("macro-f1"), predicted_1, {.labels = &labels_1}, 1, 3).low, kTolerance);
}

// The paper's "population form" of the instance average, E[N] / E[D], is micro's ratio. The metric itself
// goes to E[N/D]: rows with 1 of 1 labels found and rows with 1 of 3, equally frequent, give (1 + ½)/2, not
// 4/6.
TEST(Evaluate, InstanceAverageIsNotItsPopulationForm) {
  LabelMatrix y;
  LabelMatrix predicted;
  y.cols = predicted.cols = 3;
  for (int i = 0; i < 500; ++i) {
    y.push_row(std::vector<std::uint32_t>{0});
    y.push_row(std::vector<std::uint32_t>{0, 1, 2});
    for (int k = 0; k < 2; ++k) predicted.push_row(std::vector<std::uint32_t>{0});
  }
  Truth truth;
  truth.labels = &y;
  EXPECT_NEAR(evaluate(parse_metric("samples-f1"), predicted, truth), 0.75, 1e-12);
  EXPECT_NEAR(evaluate(parse_metric("micro-f1"), predicted, truth), 4.0 / 6, 1e-12);
}

}  // namespace
}  // namespace mmo
