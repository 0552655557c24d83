// Bootstrap over rows: a resample is a multiplicity per row, and its metric is the same metric with those
// multiplicities as row weights.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/eval/cells.h"
#include "mmo/eval/evaluate.h"

namespace mmo {
namespace {

// Linear interpolation between order statistics (NumPy's default); `sorted` is not empty.
double quantile(const std::vector<double>& sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// How often each row is drawn, times its weight.
std::vector<float> resampled_weights(const Truth& truth, std::size_t rows, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> weights(rows, 0.0F);
  for (std::size_t draw = 0; draw < rows; ++draw) weights[random.below(rows)] += 1.0F;
  for (std::size_t i = 0; i < rows; ++i) weights[i] *= static_cast<float>(row_weight(truth, i));
  return weights;
}

// Micro and samples averages are sums over rows, so a single pass over the cells serves all resamples.
double value_from_rows(const Metric& metric, const std::vector<RowSums>& sums,
                       const std::vector<float>& weights) {
  double numerator = 0;
  double denominator = 0;
  double total = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double weight = weights[i];
    if (weight == 0) continue;
    if (metric.average == Average::micro) {
      numerator += weight * sums[i].numerator;
      denominator += weight * sums[i].denominator;
    } else {
      const double value =
          sums[i].denominator == 0 ? metric.zero_division : sums[i].numerator / sums[i].denominator;
      if (std::isnan(value)) continue;
      numerator += weight * value;
      total += weight;
    }
  }
  if (metric.average == Average::micro)
    return denominator == 0 ? metric.zero_division : numerator / denominator;
  return total > 0 ? numerator / total : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::vector<double> bootstrap_values(const Metric& metric, const LabelMatrix& predicted, const Truth& truth,
                                     int replicates, std::uint64_t seed) {
  assert(replicates > 0);
  const bool sums_over_rows = metric.average == Average::micro || metric.average == Average::samples;
  const std::vector<RowSums> sums =
      sums_over_rows ? row_sums(metric, predicted, truth) : std::vector<RowSums>{};
  std::vector<double> values(static_cast<std::size_t>(replicates));
  parallel_for(values.size(), [&](std::size_t replicate) {
    throw_if_cancelled();
    Random seeds(seed + replicate);
    const std::vector<float> weights = resampled_weights(truth, predicted.rows, seeds.next());
    if (sums_over_rows) {
      values[replicate] = value_from_rows(metric, sums, weights);
    } else {
      Truth resampled = truth;
      resampled.row_weights = weights;
      values[replicate] = evaluate(metric, predicted, resampled);
    }
  });
  return values;
}

Interval percentile_interval(std::vector<double> values, double coverage) {
  assert(coverage > 0 && coverage < 1);
  std::erase_if(values, [](double v) { return std::isnan(v); });
  if (values.empty()) {
    return {.low = std::numeric_limits<double>::quiet_NaN(),
            .high = std::numeric_limits<double>::quiet_NaN()};
  }
  std::sort(values.begin(), values.end());
  return {.low = quantile(values, (1 - coverage) / 2), .high = quantile(values, (1 + coverage) / 2)};
}

Interval bootstrap(const Metric& metric, const LabelMatrix& predicted, const Truth& truth, int replicates,
                   std::uint64_t seed, double coverage) {
  return percentile_interval(bootstrap_values(metric, predicted, truth, replicates, seed), coverage);
}

}  // namespace mmo
