// What all learners of one search share: rows, labels, folds and weights, whatever the features.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mmo/comm/communicator.h"
#include "mmo/core/matrix.h"
#include "mmo/eval/evaluate.h"
#include "mmo/learn/hold_out.h"

namespace mmo {

struct Problem {
  const LabelMatrix* labels = nullptr;
  LabelMatrix rows_of_label;
  const LabelMatrix* unknown = nullptr;  // null = all known
  LabelMatrix unknown_rows_of_label;
  std::vector<float> row_weights;    // empty = all 1
  std::vector<float> label_weights;  // empty = all 1
  HoldOut hold_out;
  std::vector<std::uint32_t> trainable;  // labels with enough positives
  Communicator* processes = &alone();    // that share the fits

  [[nodiscard]] std::size_t rows() const { return labels->rows; }
  [[nodiscard]] std::size_t label_count() const { return labels->cols; }
  [[nodiscard]] Truth truth() const { return {labels, unknown, row_weights, label_weights}; }
};

// At most so many of the trainable labels, spread over all frequencies; ascending.
[[nodiscard]] std::vector<std::uint32_t> spread_labels(const Problem& problem, std::size_t most);

// Memory of the values and, if sparse, their indices.
[[nodiscard]] std::uint64_t feature_bytes(const Features& x);

// How good calibrated held-out logits are against the truth of their rows; higher is better.
using Criterion = std::function<double(const DenseMatrix&, const Truth&)>;

}  // namespace mmo
