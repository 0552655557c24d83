// The scores of one label, divided by truth and sorted: what every threshold search looks at.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/core/short_lists.h"
#include "mmo/eval/evaluate.h"

namespace mmo {

struct WeightedScore {
  float score = 0;
  float weight = 1;
};

struct LabelScores {
  std::vector<WeightedScore> positives;             // descending
  std::vector<WeightedScore> negatives;             // descending
  double positive_weight = 0, negative_weight = 0;  // of all, also of those that no list holds or are cut off
};

// Calls `use(label, scores)` for every label, in parallel. `negatives_per_positive` > 0 keeps only the
// highest negatives, up to that many times the positives' weight (sorting all of them would cost n·log n a
// label).
void for_each_label_scores(const DenseMatrix& scores, const Truth& truth, double negatives_per_positive,
                           const std::function<void(std::size_t, LabelScores&)>& use);

// The same from short lists: cells that these leave out are below all others.
void for_each_label_scores(const ShortLists& lists, const Truth& truth, double negatives_per_positive,
                           const std::function<void(std::size_t, LabelScores&)>& use);

}  // namespace mmo
