// Scores of another system, and the labels that belong to them, for `mmo tune`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/data_flags.h"
#include "mmo/core/matrix.h"
#include "mmo/eval/evaluate.h"

namespace mmo::cli {

struct ScoreFile {
  std::string source;
  DenseMatrix values;              // rows × labels
  std::vector<std::string> names;  // of the labels; empty if the file has none
  std::vector<float> row_weights;  // empty = all 1
  std::optional<float> unlisted;   // lists of some labels: the score of those that a row does not name
};

struct TrueLabels {
  LabelMatrix y;
  LabelMatrix unknown;             // 0 rows = all are known
  std::vector<float> row_weights;  // empty = all 1

  // Points into this.
  [[nodiscard]] Truth truth() const;
};
[[nodiscard]] TrueLabels take_rows(const TrueLabels& labels, std::span<const std::uint32_t> rows);

// .npy, .npz (array X), CSV/TSV with a heading of label names, or what other programs print (score_lists.h).
// Throws DataError for values that are not finite, and for scores of other labels than these, if they are
// given.
[[nodiscard]] ScoreFile read_scores(const Common& common, const std::string& path,
                                    const std::vector<std::string>* labels = nullptr);

// Labels alone: a 0/1 matrix in one of the same formats (NaN = unknown, with --unknown-labels; no features
// then), or those of any data set.
[[nodiscard]] Dataset load_labels(const Common& common, const DataFlags& flags);

// A 0/1 matrix of predictions. Throws DataError unless it has these labels and rows.
[[nodiscard]] LabelMatrix read_npy_labels(const std::string& path, std::size_t labels, std::size_t rows);

// The true labels in the scores' rows and columns; scores that are lists get a column for each label that
// they never name. Throws DataError if rows or labels do not fit.
[[nodiscard]] TrueLabels read_true_labels(const Common& common, const DataFlags& flags, ScoreFile& scores);

}  // namespace mmo::cli
