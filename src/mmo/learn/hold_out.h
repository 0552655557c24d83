// Which rows are scored by fits that have not seen them: every fold's in turn, or, where there is a
// validation file, its rows, which no fit ever sees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mmo {

class HoldOut {
 public:
  HoldOut() = default;
  // The rows of folds 0 … held_out − 1 are held out in turn; rows of a higher fold never are.
  [[nodiscard]] static HoldOut by_folds(std::vector<std::uint32_t> fold_of_row, std::size_t held_out);
  // The training rows come first, then those of the validation file.
  [[nodiscard]] static HoldOut validation(std::size_t training_rows, std::size_t validation_rows);

  // The rows of fold 0 as if they came from a validation file.
  [[nodiscard]] HoldOut first_fold_as_validation() const;
  [[nodiscard]] HoldOut of_rows(std::span<const std::uint32_t> rows) const;

  [[nodiscard]] bool is_validation() const { return is_validation_; }
  // How many fits it takes to score every row that is held out.
  [[nodiscard]] std::size_t folds() const { return folds_; }
  [[nodiscard]] const std::vector<std::uint32_t>& fold_of_row() const { return fold_of_row_; }
  // Does the final fit see this row?
  [[nodiscard]] bool trains(std::size_t row) const { return !is_validation_ || fold_of_row_[row] != 0; }
  [[nodiscard]] std::vector<std::uint32_t> training_rows() const;
  // The fold that even the final fit leaves out: 0 for a validation file's rows, −1 for none.
  [[nodiscard]] std::int32_t never_trained() const { return is_validation_ ? 0 : -1; }

 private:
  std::vector<std::uint32_t> fold_of_row_;
  std::size_t folds_ = 0;
  bool is_validation_ = false;
};

// How many of the first folds hold out 3,000 rows together: for what all labels share (L2; at quick effort
// everything) more rows sharpen the choice less than they cost.
[[nodiscard]] std::size_t enough_folds(const HoldOut& hold_out);

}  // namespace mmo
