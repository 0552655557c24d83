// Scores as other programs print them: some or all labels of a row by name. See docs/migrations.md.
//   fastText       __label__a 0.93 __label__b 0.04      predict-prob MODEL TEXT -1
//   napkinXC       3:0.81 17:0.22                       predict, --topK
//   LibMultiLabel  sport:0.81 money:0.22                --save_k_predictions
//   LIBLINEAR      labels 3 17, then 3 0.81 0.22        predict -b 1; a file of its own for each label of
//   1/-1
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mmo/core/file.h"
#include "mmo/core/matrix.h"

namespace mmo::cli {

struct ScoreLists {
  DenseMatrix values;
  std::vector<std::string> names;
  float missing = 0;  // what stands for labels that a row does not list: a score below all others
};

// Nothing if the text is of none of these forms. Throws DataError with file and line.
[[nodiscard]] std::optional<ScoreLists> read_score_lists(const FileContent& content);
// One column per file of LIBLINEAR's for the labels 1 and -1 (or 0), called as the file.
[[nodiscard]] ScoreLists read_liblinear_files(const std::vector<std::string>& paths);

}  // namespace mmo::cli
