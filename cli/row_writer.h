// A model's decisions on scored rows, as `mmo predict` writes them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cli/predictions.h"
#include "mmo/model/model.h"

namespace mmo::cli {

class RowWriter {
 public:
  // The best `top_k` labels of each row, or (0) those of the model's rule.
  RowWriter(const Model& model, PredictionWriter& writer, std::size_t top_k);
  // `ids` are the rows' from the first on, or empty.
  void write(const DenseMatrix& scores, std::span<const std::string> ids);

 private:
  const Model& model_;
  PredictionWriter& writer_;
  std::size_t top_k_;
  std::vector<std::uint32_t> labels_;
  std::vector<float> probabilities_;
};

}  // namespace mmo::cli
