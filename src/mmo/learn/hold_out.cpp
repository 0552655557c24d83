#include "mmo/learn/hold_out.h"

#include <utility>

namespace mmo {

HoldOut HoldOut::by_folds(std::vector<std::uint32_t> fold_of_row, std::size_t held_out) {
  HoldOut out;
  out.fold_of_row_ = std::move(fold_of_row);
  out.folds_ = held_out;
  return out;
}

HoldOut HoldOut::validation(std::size_t training_rows, std::size_t validation_rows) {
  std::vector<std::uint32_t> fold_of_row(training_rows, 1);
  fold_of_row.resize(training_rows + validation_rows, 0);
  return by_folds(std::move(fold_of_row), 1).first_fold_as_validation();
}

HoldOut HoldOut::first_fold_as_validation() const {
  HoldOut out = *this;
  out.folds_ = 1;
  out.is_validation_ = true;
  return out;
}

HoldOut HoldOut::of_rows(std::span<const std::uint32_t> rows) const {
  HoldOut out;
  out.fold_of_row_.reserve(rows.size());
  for (const std::uint32_t i : rows) out.fold_of_row_.push_back(fold_of_row_[i]);
  out.folds_ = folds_;
  out.is_validation_ = is_validation_;
  return out;
}

std::vector<std::uint32_t> HoldOut::training_rows() const {
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < fold_of_row_.size(); ++i) {
    if (trains(i)) rows.push_back(static_cast<std::uint32_t>(i));
  }
  return rows;
}

std::size_t enough_folds(const HoldOut& hold_out) {
  constexpr std::size_t enough_rows = 3000;
  std::vector<std::size_t> rows(hold_out.folds());
  for (const std::uint32_t fold : hold_out.fold_of_row()) {
    if (fold < rows.size()) ++rows[fold];
  }
  std::size_t enough = 0;
  for (std::size_t seen = 0; enough < rows.size() && seen < enough_rows; ++enough) seen += rows[enough];
  return enough;
}

}  // namespace mmo
