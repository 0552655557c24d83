#include "mmo/cost/counted_lambda.h"

#include <cassert>
#include <cmath>

namespace mmo {

CountMemory default_memory(bool per_label) { return {.decay = 0.99, .shrinkage = per_label ? 0.03 : 0}; }

double start_lambda(const CountRatio& ratio) {
  const Range range = value_range(ratio);
  const double middle = 0.5 * (range.low + range.high);
  return std::isfinite(middle) ? middle : 0.5;
}

void fade_in(std::span<const Counts> fresh, double decay, std::span<Counts> kept) {
  assert(fresh.size() == kept.size());
  for (std::size_t j = 0; j < kept.size(); ++j) {
    Counts& c = kept[j];
    c = {.tp = decay * c.tp, .fp = decay * c.fp, .fn = decay * c.fn, .tn = decay * c.tn};
    c += fresh[j];
  }
}

void follow_counts(const Metric& metric, std::span<const Counts> fresh, const CountMemory& memory,
                   std::span<Counts> kept, std::span<double> lambda) {
  assert(kept.size() == lambda.size());
  fade_in(fresh, memory.decay, kept);
  for (std::size_t j = 0; j < kept.size(); ++j) {
    const Counts& c = kept[j];
    const CountRatio& ratio = metric.ratio(j);
    const double below = combine(ratio.denominator, c) + memory.shrinkage * (c.tp + c.fp + c.fn + c.tn);
    if (below != 0) lambda[j] = combine(ratio.numerator, c) / below;
  }
}

void follow_rows(const RowRatios& fresh, double decay, RowRatios& kept, double& lambda) {
  kept = {.sum = decay * kept.sum + fresh.sum, .rows = decay * kept.rows + fresh.rows};
  if (kept.rows > 0) lambda = kept.sum / kept.rows;
}

}  // namespace mmo
