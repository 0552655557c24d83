// Columns cut into at most 255 bins, so that trees compare bytes. Cuts are stored as raw values: a tree
// learned on bins is applied to raw tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mmo/core/table.h"

namespace mmo::trees {

inline constexpr std::uint8_t missing_bin = 255;
inline constexpr std::size_t most_bins = 255;  // bins 0 … 254 hold values

struct BinnedColumn {
  // Numbers: bin b holds cuts[b − 1] < x ≤ cuts[b]. If there are few values, each has its own bin.
  std::vector<float> cuts;
  // Categories: bin b holds category[b]; those beyond the 255 most frequent count as missing.
  std::vector<std::uint32_t> category;
  bool nominal = false;

  // A byte per row or, if most rows share one bin, only the others' bins (ascending rows).
  std::vector<std::uint8_t> bins;
  std::vector<std::uint32_t> rows;
  std::uint8_t usual_bin = 0;
  bool sparse = false;

  bool varies = false;  // rows differ in their bins
};

struct Bins {
  std::size_t rows = 0;
  std::vector<BinnedColumn> columns;
};

struct BinRange {
  std::uint8_t low = missing_bin, high = 0;
};
// Copies the bins of some rows and finds the lowest and highest.
BinRange gather_bins(const BinnedColumn& column, std::span<const std::uint32_t> rows, std::uint8_t* out);

// `row_weights` empty = all 1: bins have about equal weight.
[[nodiscard]] Bins make_bins(const Table& table, std::span<const float> row_weights);

}  // namespace mmo::trees
