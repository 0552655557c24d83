// Scores of another system, and the labels that belong to them, for `mmo tune`.
#pragma once

#include <string>
#include <vector>

#include "cli/data_flags.h"
#include "mmo/core/matrix.h"

namespace mmo::cli {

struct ScoreFile {
  std::string source;
  DenseMatrix values;              // rows × labels
  std::vector<std::string> names;  // of the labels; empty if the file has none
};

// .npy, .npz (array X) or CSV/TSV with a heading of label names. Throws DataError for values that are not
// finite.
[[nodiscard]] ScoreFile read_scores(const Common& common, const std::string& path);

// The true labels in the scores' rows and columns: a 0/1 matrix in one of the same formats, or any data set.
// Throws DataError if rows or labels do not fit.
[[nodiscard]] LabelMatrix read_true_labels(const Common& common, const DataFlags& flags,
                                           const ScoreFile& scores);

}  // namespace mmo::cli
