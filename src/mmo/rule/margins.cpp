#include "mmo/rule/margins.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mmo/core/parallel.h"

namespace mmo {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::size_t rows_per_task = 256;

// What the rule orders labels by: −infinity = never, +infinity = always.
float key_of(const DecisionRule& rule, std::span<const float> scores, std::size_t label) {
  const float threshold = rule.thresholds.empty() ? 0.0F : rule.thresholds[label];
  if (std::isinf(threshold)) return -threshold;
  return rule.kind == DecisionRule::Kind::thresholds ? scores[label] - threshold : scores[label];
}

// Between the best label left out and the last one taken: 0 where that divides them.
float row_threshold(float low, float high) {
  if (low < 0 && high >= 0) return 0;
  if (low == -infinity) return high == infinity ? 0.0F : high - 2 * least_margin;
  if (high == infinity) return low + 2 * least_margin;
  return 0.5F * (low + high);
}

}  // namespace

void margin_row(const DecisionRule& rule, std::span<const float> scores, std::span<float> out) {
  thread_local std::vector<std::uint32_t> labels;
  decide_row(rule, scores, labels);
  thread_local std::vector<char> taken;
  taken.assign(scores.size(), 0);
  for (const std::uint32_t j : labels) taken[j] = 1;

  float low = -infinity;
  float high = infinity;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const float key = key_of(rule, scores, j);
    out[j] = key;
    if (std::isinf(key)) continue;
    if (taken[j] != 0) {
      high = std::min(high, key);
    } else {
      low = std::max(low, key);
    }
  }
  const float threshold = row_threshold(low, high);
  constexpr auto most = static_cast<float>(largest_logit);
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const float margin = out[j] - threshold;
    out[j] =
        taken[j] != 0 ? std::clamp(margin, least_margin, most) : std::clamp(margin, -most, -least_margin);
  }
}

DenseMatrix margins(const DecisionRule& rule, const DenseMatrix& scores) {
  DenseMatrix out(scores.rows, scores.cols);
  parallel_ranges(scores.rows, rows_per_task, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) margin_row(rule, scores.row(i), out.row(i));
  });
  return out;
}

}  // namespace mmo
