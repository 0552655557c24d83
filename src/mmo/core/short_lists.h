// Scores when labels are many: each row's best few; every other label scores below all of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

struct LabelScore {
  std::uint32_t label = 0;
  float score = 0;
};

// Descending by score; equal scores by label, so that no list depends on the order in which it was made.
[[nodiscard]] inline bool ranks_before(const LabelScore& a, const LabelScore& b) {
  return a.score != b.score ? a.score > b.score : a.label < b.label;
}
// Leaves the best `most` of them, in order.
void keep_best(std::vector<LabelScore>& scores, std::size_t most);

struct ShortLists {
  std::size_t rows = 0;
  std::size_t labels = 0;
  std::vector<std::uint64_t> offsets{0};  // rows + 1
  std::vector<LabelScore> entries;        // best first within a row; scores are logits

  [[nodiscard]] std::span<const LabelScore> row(std::size_t i) const {
    return {entries.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
  void push_row(std::span<const LabelScore> best_first);
  // Appends all rows of another one (not of itself).
  void push_rows(const ShortLists& more);
};

// The best `most` labels of each row of scores.
[[nodiscard]] ShortLists short_lists(const DenseMatrix& scores, std::size_t most);

}  // namespace mmo
