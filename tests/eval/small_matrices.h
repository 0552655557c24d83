// Label matrices small enough to write down.
#pragma once

#include <string>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/core/random.h"

namespace mmo {

// {"0110", "0000"}: one string per row.
inline LabelMatrix from_rows(const std::vector<std::string>& rows) {
  LabelMatrix matrix;
  matrix.cols = rows.empty() ? 0 : rows[0].size();
  for (const std::string& text : rows) {
    std::vector<std::uint32_t> labels;
    for (std::size_t j = 0; j < text.size(); ++j) {
      if (text[j] == '1') labels.push_back(static_cast<std::uint32_t>(j));
    }
    matrix.push_row(labels);
  }
  return matrix;
}

inline std::vector<std::string> random_rows(Random& random, std::size_t rows, std::size_t cols,
                                            double density) {
  std::vector<std::string> text(rows, std::string(cols, '0'));
  for (auto& row : text) {
    for (char& c : row) c = random.uniform() < density ? '1' : '0';
  }
  return text;
}

}  // namespace mmo
