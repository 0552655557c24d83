#include "mmo/loss/row_ratios.h"

#include <cmath>
#include <vector>

#include "mmo/loss/batch_counts.h"

namespace mmo {
namespace {

// Labels with their own ratios: ΣN_j / ΣD_j over the row's known cells.
double row_value(const Metric& metric, std::span<const float> scores, std::span<const float> targets,
                 double zero_division) {
  double numerator = 0;
  double denominator = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (std::isnan(targets[j])) continue;
    const bool positive = targets[j] > 0.5F;
    Counts cell;
    (scores[j] >= 0 ? (positive ? cell.tp : cell.fp) : (positive ? cell.fn : cell.tn)) = 1;
    numerator += combine(metric.ratio(j).numerator, cell);
    denominator += combine(metric.ratio(j).denominator, cell);
  }
  return denominator == 0 ? zero_division : numerator / denominator;
}

}  // namespace

RowRatios row_ratios(const Metric& metric, const ScoreBatch& batch, double zero_division) {
  std::vector<Counts> rows(batch.rows);
  const bool one_ratio = metric.ratios.size() == 1;
  if (one_ratio) row_counts(batch, rows);
  RowRatios out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t at = i * batch.labels_count;
    const double value = one_ratio ? ratio_value(metric.ratios.front(), rows[i], zero_division)
                                   : row_value(metric, batch.scores.subspan(at, batch.labels_count),
                                               batch.targets.subspan(at, batch.labels_count), zero_division);
    if (std::isnan(value)) continue;
    out.sum += value;
    out.rows += 1;
  }
  return out;
}

}  // namespace mmo
