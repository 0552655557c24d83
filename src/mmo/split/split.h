// Dividing rows into folds or into a training and a test part so that every label keeps its share in each:
// iterative stratification (Sechidis, Tsoumakas, Vlahavas: On the Stratification of Multi-Label Data, 2011).
// Rows of one group stay together. Everything is determined by the seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

// Both ascending.
struct Split {
  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> test;
};

// The fold (0 … folds − 1) of each row. Without groups the sizes of folds differ by at most one row.
// Throws UsageError if folds < 2 or there are fewer rows (or groups) than folds.
[[nodiscard]] std::vector<std::uint32_t> stratified_folds(const LabelMatrix& y, std::size_t folds,
                                                          std::uint64_t seed,
                                                          std::span<const std::string> groups = {});

// Throws UsageError unless 0 < test_share < 1 and both parts get a row.
[[nodiscard]] Split stratified_split(const LabelMatrix& y, double test_share, std::uint64_t seed,
                                     std::span<const std::string> groups = {});

// The same without looking at labels.
[[nodiscard]] Split random_split(std::size_t rows, double test_share, std::uint64_t seed,
                                 std::span<const std::string> groups = {});

// Train on all folds but one, test on that one.
[[nodiscard]] Split leave_fold_out(std::span<const std::uint32_t> fold_of_row, std::uint32_t fold);

}  // namespace mmo
