// What all fits of one search share: rows, labels, folds and weights, independent of the feature map.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/eval/evaluate.h"
#include "mmo/objective/column_data.h"
#include "mmo/transform/feature_map.h"

namespace mmo {

struct Problem {
  const LabelMatrix* labels = nullptr;
  LabelMatrix rows_of_label;
  const LabelMatrix* unknown = nullptr;  // null = all known
  LabelMatrix unknown_rows_of_label;
  std::vector<float> row_weights;    // empty = all 1
  std::vector<float> label_weights;  // empty = all 1
  std::vector<std::uint32_t> fold_of_row;
  std::size_t folds = 0;  // folds 0 … folds − 1 are held out in turn; rows of a higher fold never
  std::vector<std::uint32_t> trainable;  // labels with enough positives

  [[nodiscard]] std::size_t rows() const { return labels->rows; }
  [[nodiscard]] std::size_t label_count() const { return labels->cols; }
  [[nodiscard]] Truth truth() const { return {labels, unknown, row_weights, label_weights}; }
};

// How many of the first folds hold out 3,000 rows together: for what all labels share (L2; at quick effort
// everything) more rows sharpen the choice less than they cost.
[[nodiscard]] std::size_t enough_folds(std::span<const std::uint32_t> fold_of_row, std::size_t folds);

// At most so many of the trainable labels, spread over all frequencies; ascending.
[[nodiscard]] std::vector<std::uint32_t> spread_labels(const Problem& problem, std::size_t most);

// The problem seen through one feature map.
struct MappedProblem {
  const Problem* problem = nullptr;
  FeatureMap map;
  const Features* encoded = nullptr;
  Features changed;                           // the encoded features mapped, unless the map is the identity
  std::vector<float> sizes;                   // Σ_i weight·x_ik², bias last
  std::unique_ptr<LazyTranspose> transposed;  // of sparse x
  std::optional<FeatureMoments> moments;      // of dense x that is to be whitened
  double mean_spread = 0;                     // tr(XcᵀXc)/d: the scale of L2

  [[nodiscard]] const Features& x() const {
    return map.kind == FeatureMap::Kind::identity ? *encoded : changed;
  }
  [[nodiscard]] ColumnData columns() const;
};

// Dense features, at most so many, are whitened where that pays for so many columns to solve.
inline constexpr std::size_t most_whitened_features = 1500;  // d² of memory
// `encoded` must outlive the result.
[[nodiscard]] MappedProblem map_problem(const Problem& problem, const Features& encoded,
                                        FeatureMap::Kind kind, std::size_t columns);

}  // namespace mmo
