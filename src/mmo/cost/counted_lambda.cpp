#include "mmo/cost/counted_lambda.h"

#include <cassert>

namespace mmo {

void follow_counts(const Metric& metric, std::span<const Counts> fresh, double memory, double shrinkage,
                   std::span<Counts> kept, std::span<double> lambda) {
  assert(fresh.size() == kept.size() && fresh.size() == lambda.size());
  for (std::size_t j = 0; j < kept.size(); ++j) {
    Counts& c = kept[j];
    c = {.tp = memory * c.tp, .fp = memory * c.fp, .fn = memory * c.fn, .tn = memory * c.tn};
    c += fresh[j];
    const CountRatio& ratio = metric.ratio(j);
    const double below = combine(ratio.denominator, c) + shrinkage;
    if (below != 0) lambda[j] = combine(ratio.numerator, c) / below;
  }
}

}  // namespace mmo
