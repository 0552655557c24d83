// The truth of some rows: copies of what belongs to them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mmo/eval/evaluate.h"

namespace mmo {

class TruthRows {
 public:
  TruthRows(const Truth& all, std::span<const std::uint32_t> rows)
      : labels_(take_rows(*all.labels, rows)), label_weights_(all.label_weights) {
    if (all.unknown != nullptr && all.unknown->rows > 0) unknown_ = take_rows(*all.unknown, rows);
    for (const std::uint32_t i : rows) {
      if (!all.row_weights.empty()) row_weights_.push_back(all.row_weights[i]);
    }
  }

  // Points into this object.
  [[nodiscard]] Truth truth() const {
    return {&labels_, unknown_.rows > 0 ? &unknown_ : nullptr, row_weights_, label_weights_};
  }

 private:
  LabelMatrix labels_, unknown_;
  std::vector<float> row_weights_;
  std::span<const float> label_weights_;
};

}  // namespace mmo
