// The tables of `mmo evaluate` and the reports.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mmo/eval/cells.h"
#include "mmo/eval/evaluate.h"

namespace mmo {
namespace {

constexpr std::array<const char*, 4> ratio_names = {"f1", "jaccard", "precision", "recall"};

std::size_t undefined_rows(const Metric& metric, const LabelMatrix& predicted, const Truth& truth) {
  const auto sums = row_sums(metric, predicted, truth);
  return static_cast<std::size_t>(
      std::count_if(sums.begin(), sums.end(), [](const RowSums& s) { return s.denominator == 0; }));
}

std::size_t undefined_labels(const Metric& metric, std::span<const Counts> counts) {
  std::size_t undefined = 0;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    undefined += combine(metric.ratio(j).denominator, counts[j]) == 0 ? 1 : 0;
  }
  return undefined;
}

NamedValue value_of(const Metric& metric, const LabelMatrix& predicted, const Truth& truth,
                    std::span<const Counts> counts) {
  NamedValue entry{.name = metric.name, .value = 0, .undefined = 0};
  if (metric.average == Average::samples) {
    entry.value = evaluate(metric, predicted, truth);
    entry.undefined = undefined_rows(metric, predicted, truth);
    return entry;
  }
  entry.value = evaluate_counts(metric, counts, truth.label_weights);
  entry.undefined = undefined_labels(metric, counts);
  // A micro ratio is one number: undefined only when no label contributes.
  if (metric.average == Average::micro) entry.undefined = entry.undefined == counts.size() ? 1 : 0;
  return entry;
}

}  // namespace

std::vector<NamedValue> standard_metrics(const LabelMatrix& predicted, const Truth& truth,
                                         double zero_division) {
  const std::vector<Counts> counts = count_labels(predicted, truth);
  std::vector<NamedValue> table;
  for (const Average average : {Average::micro, Average::macro, Average::samples, Average::weighted}) {
    for (const char* ratio : ratio_names) {
      const Metric metric = parse_metric(average_name(average) + "-" + ratio, zero_division);
      table.push_back(value_of(metric, predicted, truth, counts));
    }
  }
  table.push_back(value_of(parse_metric("hamming-accuracy", zero_division), predicted, truth, counts));
  table.push_back({.name = "subset-accuracy", .value = subset_accuracy(predicted, truth), .undefined = 0});
  return table;
}

std::vector<LabelRow> label_table(std::span<const Counts> counts, double zero_division) {
  const auto ratio = [](const char* name) { return parse_metric(name).ratios[0]; };
  const CountRatio precision = ratio("precision");
  const CountRatio recall = ratio("recall");
  const CountRatio f1 = ratio("f1");
  const CountRatio jaccard = ratio("jaccard");
  std::vector<LabelRow> rows(counts.size());
  std::transform(counts.begin(), counts.end(), rows.begin(), [&](const Counts& c) {
    return LabelRow{.counts = c,
                    .support = c.tp + c.fn,
                    .predicted = c.tp + c.fp,
                    .precision = ratio_value(precision, c, zero_division),
                    .recall = ratio_value(recall, c, zero_division),
                    .f1 = ratio_value(f1, c, zero_division),
                    .jaccard = ratio_value(jaccard, c, zero_division)};
  });
  return rows;
}

}  // namespace mmo
