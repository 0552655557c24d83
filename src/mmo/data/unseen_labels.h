// Labels of a test file that a model was not trained on: every one of their positives is missed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mmo/data/dataset.h"

namespace mmo {

struct UnseenLabelsFound {
  std::vector<std::string> names;
  std::size_t rows = 0;  // that have one of them
};

// Labels of `data` behind the first `known`, which are the model's.
[[nodiscard]] UnseenLabelsFound find_unseen_labels(const Dataset& data, std::size_t known);

// "test.svm: 2 labels that the model was not trained on ('x', 'y'), in 14 rows, count as missed"; empty if
// there are none.
[[nodiscard]] std::string unseen_labels_text(const Dataset& data, std::size_t known);

}  // namespace mmo
