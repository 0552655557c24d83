// Iterative stratification of units (rows, or groups of rows) into parts of given sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mmo {

// What has to stay together: one row, or all rows of a group. Unit u has `rows[u]` rows and the labels
// labels[offsets[u]] … labels[offsets[u + 1] − 1], each in `counts` of its rows.
struct Units {
  std::size_t label_count = 0;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> labels;
  std::vector<std::uint32_t> counts;

  [[nodiscard]] std::size_t size() const { return rows.size(); }
  [[nodiscard]] bool unlabelled(std::size_t unit) const { return offsets[unit] == offsets[unit + 1]; }
};

// The part of each unit. Part p gets about part_rows[p] rows (exactly, if every unit is one row); their sum
// is the number of rows. Time is linear in the number of label occurrences times the number of parts.
[[nodiscard]] std::vector<std::uint32_t> stratify(const Units& units, std::span<const std::size_t> part_rows,
                                                  std::uint64_t seed);

// Divides `total` in proportion to `shares` into whole numbers (largest remainders).
[[nodiscard]] std::vector<std::size_t> apportion(std::size_t total, std::span<const double> shares);

}  // namespace mmo
