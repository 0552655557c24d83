// Metric values of given predictions. One implementation serves search, `mmo evaluate`, Python and deep.
#pragma once

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
  const LabelMatrix* unknown = nullptr;      // cells left out of every count
  std::span<const float> row_weights = {};   // empty = all 1
  std::span<const float> label_weights = {}; // empty = all 1; multiplies a label's share in micro counts,
                                             // macro and weighted means, and samples counts
};

// TP, FP, FN, TN of each label.
[[nodiscard]] std::vector<Counts> count_labels(const LabelMatrix& predicted, const Truth& truth);
// The metric's ratio of each row (samples average), NaN where zero_division leaves it out.
[[nodiscard]] std::vector<double> row_values(const Metric& metric, const LabelMatrix& predicted, const Truth& truth);

[[nodiscard]] double evaluate(const Metric& metric, const LabelMatrix& predicted, const Truth& truth);
// For micro, macro and weighted averages, from counts alone.
[[nodiscard]] double evaluate_counts(const Metric& metric, std::span<const Counts> counts, std::span<const float> label_weights = {});

// Share of rows predicted exactly; evaluation only (it is not a ratio of counts).
[[nodiscard]] double subset_accuracy(const LabelMatrix& predicted, const Truth& truth);

// A bootstrap interval over rows: `replicates` resamples, percentile method.
struct Interval { double low = 0, high = 0; };
[[nodiscard]] Interval bootstrap(const Metric& metric, const LabelMatrix& predicted, const Truth& truth,
                                 int replicates, std::uint64_t seed, double coverage = 0.95);

// The table `mmo evaluate` prints when no metric is named: micro-, macro-, samples-, weighted- ×
// f1, jaccard, precision, recall; hamming-accuracy; subset-accuracy.
struct NamedValue { std::string name; double value = 0; };
[[nodiscard]] std::vector<NamedValue> standard_metrics(const LabelMatrix& predicted, const Truth& truth, double zero_division);

}  // namespace mmo
