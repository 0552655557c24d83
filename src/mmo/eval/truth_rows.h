// Copies of the truth for some rows, and for some labels.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mmo/eval/evaluate.h"

namespace mmo {

class TruthRows {
 public:
  // `labels` empty = all.
  TruthRows(const Truth& all, std::span<const std::uint32_t> rows, std::span<const std::uint32_t> labels = {})
      : labels_(take_rows(*all.labels, rows)),
        label_weights_(all.label_weights.begin(), all.label_weights.end()) {
    if (all.unknown != nullptr && all.unknown->rows > 0) unknown_ = take_rows(*all.unknown, rows);
    if (!labels.empty()) keep_labels(labels);
    for (const std::uint32_t i : rows) {
      if (!all.row_weights.empty()) row_weights_.push_back(all.row_weights[i]);
    }
  }

  // Points into this object.
  [[nodiscard]] Truth truth() const {
    return {&labels_, unknown_.rows > 0 ? &unknown_ : nullptr, row_weights_, label_weights_};
  }

 private:
  void keep_labels(std::span<const std::uint32_t> labels) {
    labels_ = take_columns(labels_, labels);
    if (unknown_.rows > 0) unknown_ = take_columns(unknown_, labels);
    if (label_weights_.empty()) return;
    std::vector<float> kept;
    kept.reserve(labels.size());
    for (const std::uint32_t j : labels) kept.push_back(label_weights_[j]);
    label_weights_ = std::move(kept);
  }

  LabelMatrix labels_, unknown_;
  std::vector<float> row_weights_, label_weights_;
};

}  // namespace mmo
