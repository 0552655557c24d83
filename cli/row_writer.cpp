#include "cli/row_writer.h"

#include <algorithm>
#include <cmath>

#include "cli/ranking_table.h"

namespace mmo::cli {

RowWriter::RowWriter(const Model& model, PredictionWriter& writer, std::size_t top_k)
    : model_(model), writer_(writer), top_k_(top_k), probabilities_(model.labels()) {}

void RowWriter::write(const DenseMatrix& scores, std::span<const std::string> ids) {
  for (std::size_t i = 0; i < scores.rows; ++i) {
    const auto row = scores.row(i);
    if (top_k_ > 0) {
      best_labels(model_.rule, row, {}, top_k_, labels_);
    } else {
      labels_.clear();
      decide_row(model_.rule, row, labels_);
    }
    std::transform(row.begin(), row.end(), probabilities_.begin(),
                   [](float z) { return 1.0F / (1.0F + std::exp(-z)); });
    writer_.write_row(labels_, probabilities_, ids.empty() ? std::string() : ids[i]);
  }
}

}  // namespace mmo::cli
