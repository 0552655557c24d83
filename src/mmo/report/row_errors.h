// What goes wrong row by row: how many labels rows get, which are given in place of which, and the worst
// rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/eval/evaluate.h"

namespace mmo {

// Rows by their number of labels; the last bin holds all rows with more.
struct LabelsPerRow {
  std::vector<std::size_t> truth, predicted;
};
[[nodiscard]] LabelsPerRow labels_per_row(const LabelMatrix& predicted, const Truth& truth, std::size_t most);

// Rows that have `missed` without it being predicted, and are predicted `given` without having it.
struct Confusion {
  std::uint32_t missed = 0, given = 0;
  std::size_t rows = 0;
};
struct Confusions {
  std::vector<Confusion> pairs;  // most frequent first, then by label
  std::size_t skipped = 0;       // rows with so many errors that their pairs mean nothing
};
[[nodiscard]] Confusions confusions(const LabelMatrix& predicted, const Truth& truth, std::size_t most);

struct RowErrors {
  std::size_t row = 0;
  std::size_t right = 0, missed = 0, wrong = 0;
};
// The rows with most errors, worst first; among equals, those with fewer right labels, then in order.
[[nodiscard]] std::vector<RowErrors> worst_rows(const LabelMatrix& predicted, const Truth& truth,
                                                std::size_t most);

}  // namespace mmo
