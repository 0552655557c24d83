#include "mmo/eval/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/eval/cells.h"

namespace mmo {
namespace {

// At most 16 tasks, since each holds counts of every label.
std::size_t rows_per_task(std::size_t rows) { return std::max<std::size_t>(4096, (rows + 15) / 16); }

double coefficient(const CountWeights& w, Cell cell) {
  switch (cell) {
    case Cell::true_positive:
      return w.tp;
    case Cell::false_positive:
      return w.fp;
    case Cell::false_negative:
      return w.fn;
    case Cell::unknown:
      return 0;
  }
  return 0;
}

// `total` less `taken`, where rounding must not leave a residue instead of 0.
double remainder_of(double total, double taken) {
  constexpr double relative = 1e-12;
  const double left = total - taken;
  return std::fabs(left) <= relative * std::fabs(total) ? 0 : left;
}

}  // namespace

void check_shapes(const LabelMatrix& predicted, const Truth& truth) {
  const LabelMatrix& labels = *truth.labels;
  if (predicted.rows != labels.rows) {
    throw DataError(
        fmt::format("{} rows of predictions but {} rows of true labels; they must describe the same rows",
                    predicted.rows, labels.rows));
  }
  if (predicted.cols != labels.cols) {
    throw DataError(
        fmt::format("predictions for {} labels but {} true labels; they must have the same labels",
                    predicted.cols, labels.cols));
  }
}

std::vector<Counts> count_labels(const LabelMatrix& predicted, const Truth& truth) {
  check_shapes(predicted, truth);
  const std::size_t labels = predicted.cols;
  const std::size_t length = rows_per_task(predicted.rows);
  // tn holds the weight of unknown cells until the end.
  std::vector<std::vector<Counts>> parts(range_count(predicted.rows, length));
  std::vector<double> weights(parts.size(), 0.0);
  parallel_ranges(predicted.rows, length, [&](std::size_t first, std::size_t last) {
    auto& part = parts[first / length];
    part.resize(labels);
    for (std::size_t i = first; i < last; ++i) {
      const double weight = row_weight(truth, i);
      weights[first / length] += weight;
      visit_row(predicted.row(i), truth.labels->row(i), unknown_row(truth, i),
                [&](std::uint32_t label, Cell cell) {
                  Counts& c = part[label];
                  (cell == Cell::true_positive    ? c.tp
                   : cell == Cell::false_positive ? c.fp
                   : cell == Cell::false_negative ? c.fn
                                                  : c.tn) += weight;
                });
    }
  });
  double total = 0;
  for (const double weight : weights) total += weight;
  std::vector<Counts> counts(labels);
  for (const auto& part : parts) {
    for (std::size_t j = 0; j < labels; ++j) counts[j] += part[j];
  }
  for (Counts& c : counts) c.tn = std::max(0.0, remainder_of(total, c.tp + c.fp + c.fn + c.tn));
  return counts;
}

std::vector<RowSums> row_sums(const Metric& metric, const LabelMatrix& predicted, const Truth& truth) {
  check_shapes(predicted, truth);
  require_labels(metric, predicted.cols);
  // Start from all true negatives, then take out the cells that are something else and put those in.
  RowSums all_negative;
  for (std::size_t j = 0; j < predicted.cols; ++j) {
    const double weight = label_weight(truth.label_weights, j);
    all_negative.numerator += weight * metric.ratio(j).numerator.tn;
    all_negative.denominator += weight * metric.ratio(j).denominator.tn;
  }
  std::vector<RowSums> sums(predicted.rows);
  parallel_ranges(predicted.rows, rows_per_task(predicted.rows), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      RowSums others;
      RowSums replaced;
      visit_row(predicted.row(i), truth.labels->row(i), unknown_row(truth, i),
                [&](std::uint32_t label, Cell cell) {
                  const CountRatio& ratio = metric.ratio(label);
                  const double weight = label_weight(truth.label_weights, label);
                  others.numerator += weight * coefficient(ratio.numerator, cell);
                  others.denominator += weight * coefficient(ratio.denominator, cell);
                  replaced.numerator += weight * ratio.numerator.tn;
                  replaced.denominator += weight * ratio.denominator.tn;
                });
      sums[i] = {
          .numerator = others.numerator + remainder_of(all_negative.numerator, replaced.numerator),
          .denominator = others.denominator + remainder_of(all_negative.denominator, replaced.denominator)};
    }
  });
  return sums;
}

std::vector<double> row_values(const Metric& metric, const LabelMatrix& predicted, const Truth& truth) {
  const std::vector<RowSums> sums = row_sums(metric, predicted, truth);
  std::vector<double> values(sums.size());
  std::transform(sums.begin(), sums.end(), values.begin(), [&](const RowSums& s) {
    return s.denominator == 0 ? metric.zero_division : s.numerator / s.denominator;
  });
  return values;
}

double mean_of_defined(std::span<const double> values, std::span<const double> weights) {
  double weighted = 0;
  double weight_sum = 0;
  double plain = 0;
  std::size_t defined = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isnan(values[k])) continue;
    weighted += weights[k] * values[k];
    weight_sum += weights[k];
    plain += values[k];
    ++defined;
  }
  if (defined == 0) return std::numeric_limits<double>::quiet_NaN();
  return weight_sum > 0 ? weighted / weight_sum : plain / static_cast<double>(defined);
}

double evaluate_counts(const Metric& metric, std::span<const Counts> counts,
                       std::span<const float> label_weights) {
  require_labels(metric, counts.size());
  if (metric.average == Average::micro) {
    double numerator = 0;
    double denominator = 0;
    for (std::size_t j = 0; j < counts.size(); ++j) {
      const double weight = label_weight(label_weights, j);
      numerator += weight * combine(metric.ratio(j).numerator, counts[j]);
      denominator += weight * combine(metric.ratio(j).denominator, counts[j]);
    }
    return denominator == 0 ? metric.zero_division : numerator / denominator;
  }
  std::vector<double> values(counts.size());
  std::vector<double> weights(counts.size());
  for (std::size_t j = 0; j < counts.size(); ++j) {
    values[j] = ratio_value(metric.ratio(j), counts[j], metric.zero_division);
    const double support = metric.average == Average::weighted ? counts[j].tp + counts[j].fn : 1.0;
    weights[j] = support * label_weight(label_weights, j);
  }
  return mean_of_defined(values, weights);
}

double evaluate(const Metric& metric, const LabelMatrix& predicted, const Truth& truth) {
  if (metric.average != Average::samples) {
    require_labels(metric, predicted.cols);
    return evaluate_counts(metric, count_labels(predicted, truth), truth.label_weights);
  }
  const std::vector<double> values = row_values(metric, predicted, truth);
  std::vector<double> weights(values.size());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = row_weight(truth, i);
  return mean_of_defined(values, weights);
}

double subset_accuracy(const LabelMatrix& predicted, const Truth& truth) {
  check_shapes(predicted, truth);
  double right = 0;
  double total = 0;
  for (std::size_t i = 0; i < predicted.rows; ++i) {
    bool exact = true;
    visit_row(predicted.row(i), truth.labels->row(i), unknown_row(truth, i), [&](std::uint32_t, Cell cell) {
      exact &= cell == Cell::true_positive || cell == Cell::unknown;
    });
    total += row_weight(truth, i);
    right += exact ? row_weight(truth, i) : 0.0;
  }
  return total > 0 ? right / total : 0;
}

}  // namespace mmo
