// Metric values of given predictions. A single implementation for search, `mmo evaluate`, Python and deep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/metric/metric.h"

namespace mmo {

// What predictions are compared with. Pointers are not owned; null = none.
struct Truth {
  const LabelMatrix* labels = nullptr;
  const LabelMatrix* unknown = nullptr;  // cells left out of every count; a matrix of 0 rows = none
  // Empty = all 1. Label weights multiply a label's share in micro counts, macro and weighted means, and
  // samples counts. (Without "= {}" gcc warns wherever the weights are left out.)
  std::span<const float> row_weights = {};    // NOLINT(readability-redundant-member-init)
  std::span<const float> label_weights = {};  // NOLINT(readability-redundant-member-init)
};

// Every function below throws DataError if predictions and truth differ in rows or labels, and UsageError if
// the metric has coefficients for a different number of labels.

// TP, FP, FN, TN of each label, weighted by row.
[[nodiscard]] std::vector<Counts> count_labels(const LabelMatrix& predicted, const Truth& truth);
// The metric's ratio for each row (samples average), NaN where zero_division leaves the row out.
[[nodiscard]] std::vector<double> row_values(const Metric& metric, const LabelMatrix& predicted,
                                             const Truth& truth);

[[nodiscard]] double evaluate(const Metric& metric, const LabelMatrix& predicted, const Truth& truth);
// For micro, macro and weighted averages, from counts alone. An average over labels leaves NaN out; weighted
// falls back to the plain mean if every weight is 0 (scikit-learn's rules).
[[nodiscard]] double evaluate_counts(const Metric& metric, std::span<const Counts> counts,
                                     std::span<const float> label_weights = {});

// Share of rows with every known cell predicted right; evaluation only (it is not a ratio of counts).
[[nodiscard]] double subset_accuracy(const LabelMatrix& predicted, const Truth& truth);

// A bootstrap interval over rows: `replicates` resamples, percentile method.
struct Interval {
  double low = 0, high = 0;
};
[[nodiscard]] Interval bootstrap(const Metric& metric, const LabelMatrix& predicted, const Truth& truth,
                                 int replicates, std::uint64_t seed, double coverage = 0.95);
// The metric on each resample, NaN where undefined. Resample r of n rows depends on the seed alone, so the
// values of two predictions of the same rows can be subtracted pairwise.
[[nodiscard]] std::vector<double> bootstrap_values(const Metric& metric, const LabelMatrix& predicted,
                                                   const Truth& truth, int replicates, std::uint64_t seed);
// The middle part of the values that are not NaN; NaN if none is left.
[[nodiscard]] Interval percentile_interval(std::vector<double> values, double coverage = 0.95);

// The table `mmo evaluate` prints when no metric is named: micro-, macro-, samples-, weighted- ×
// f1, jaccard, precision, recall; hamming-accuracy; subset-accuracy.
struct NamedValue {
  std::string name;
  double value = 0;
  std::size_t undefined = 0;  // labels (samples: rows; micro: 1 or 0) whose ratio is 0/0
};
[[nodiscard]] std::vector<NamedValue> standard_metrics(const LabelMatrix& predicted, const Truth& truth,
                                                       double zero_division);

// One line of a report's table.
struct LabelRow {
  Counts counts;
  double support = 0;    // TP + FN
  double predicted = 0;  // TP + FP
  double precision = 0, recall = 0, f1 = 0, jaccard = 0;
};
[[nodiscard]] std::vector<LabelRow> label_table(std::span<const Counts> counts, double zero_division);

}  // namespace mmo
