#include "mmo/metric/class_weights.h"

#include <algorithm>
#include <functional>

#include "mmo/metric/ratio_check.h"

namespace mmo {

Metric weight_classes(const Metric& metric, std::span<const ClassWeights> weights) {
  require_labels(metric, weights.size());
  Metric weighted = metric;
  weighted.name += ", class-weighted";
  weighted.ratios.clear();
  for (std::size_t j = 0; j < weights.size(); ++j) {
    CountRatio ratio = metric.ratio(j);
    for (CountWeights* part : {&ratio.numerator, &ratio.denominator}) {
      part->tp *= weights[j].positive;
      part->fn *= weights[j].positive;
      part->fp *= weights[j].negative;
      part->tn *= weights[j].negative;
    }
    weighted.ratios.push_back(ratio);
  }
  // One ratio for all labels if they agree: rules that need a single ratio still work.
  const bool agree = std::adjacent_find(weighted.ratios.begin(), weighted.ratios.end(),
                                        std::not_equal_to<>()) == weighted.ratios.end();
  if (agree && !weighted.ratios.empty()) weighted.ratios.resize(1);
  refuse_extreme_coefficients(weighted, weighted.name);
  return weighted;
}

}  // namespace mmo
