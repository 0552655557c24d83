// From scores to sets of labels: the last of a model's four stages.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/core/short_lists.h"
#include "mmo/metric/metric.h"

namespace mmo {

// expected_count: logits beyond this are cut, so that probabilities stay above zero in double.
inline constexpr double largest_logit = 500;

struct DecisionRule {
  enum class Kind {
    thresholds,      // label j is predicted where z_j ≥ thresholds[j]
    expected_count,  // the k labels of largest σ(z) that maximise the metric's ratio of expected counts
  };
  Kind kind = Kind::thresholds;
  std::vector<float>
      thresholds;              // one per label; +infinity = never. For expected_count: only ±infinity matters
  CountRatio ratio;            // expected_count only
  std::size_t min_labels = 0;  // rows with fewer get their best-scored (z − threshold) labels
  std::size_t max_labels = 0;  // 0 = no limit
};

// Labels of one row, ascending. `scores` are the calibrated logits z of all labels.
void decide_row(const DecisionRule& rule, std::span<const float> scores, std::vector<std::uint32_t>& out);
[[nodiscard]] LabelMatrix decide(const DecisionRule& rule, const DenseMatrix& scores);
// The same where only the best labels of each row are known: the others are not predicted.
[[nodiscard]] LabelMatrix decide(const DecisionRule& rule, const ShortLists& lists);

}  // namespace mmo
