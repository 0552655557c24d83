#include "mmo/learn/trees/label_counts.h"

#include <algorithm>

#include "mmo/learn/trees/row_keys.h"

namespace mmo::trees {

LabelCounts::LabelCounts(const LabelCells& cells, std::span<const float> weights)
    : cells_(cells), weights_(weights), counts_(cells.labels, 0) {}

void LabelCounts::enter(std::span<const std::uint32_t> rows) {
  rows_.clear();
  Side all;
  mass_ = 0;
  for (const std::uint32_t i : rows) {
    rows_.push_back({cells_.offsets[i], cells_.offsets[i + 1], weights_[i], 0});
    move<false>(rows_.back(), all);
    for (std::uint32_t k = rows_.back().first; k < rows_.back().last; ++k)
      mass_ += weights_[i] * value(k) * (cells_.ceiling.empty() ? 1.0 : cells_.ceiling[cells_.label[k]]);
  }
  total_ = all.weight;
  total_squares_ = all.squares;
  for (Row& row : rows_) {
    for (std::uint32_t k = row.first; k < row.last; ++k)
      row.total += row.weight * value(k) * counts_[cells_.label[k]];
  }
  forget();
}

template <bool all_one>
void LabelCounts::move(const Row& row, Side& side) {
  const std::uint32_t* label = cells_.label.data();
  double* counts = counts_.data();
  side.weight += row.weight;
  side.cross += row.total;
  for (std::uint32_t k = row.first; k < row.last; ++k) {
    const double a = all_one ? row.weight : row.weight * value(k);
    double& c = counts[label[k]];
    side.squares += a * (2 * c + a);
    c += a;
  }
}

double LabelCounts::score(const Side& side) const {
  return side.squares / side.weight +
         (total_squares_ - 2 * side.cross + side.squares) / (total_ - side.weight);
}

void LabelCounts::forget() {
  if (counts_.size() <= 4 * rows_.size()) {
    std::fill(counts_.begin(), counts_.end(), 0.0);
    return;
  }
  for (const Row& row : rows_) {
    for (std::uint32_t k = row.first; k < row.last; ++k) counts_[cells_.label[k]] = 0;
  }
}

template <bool all_one>
Boundary LabelCounts::sweep_cells(const std::uint32_t* order, std::span<const Range> ranges,
                                  double min_leaf) {
  Boundary best;
  Side side;
  for (std::size_t g = 0; g < ranges.size(); ++g) {
    for (std::uint32_t k = ranges[g].first; k < ranges[g].last; ++k) move<all_one>(rows_[order[k]], side);
    if (std::min(side.weight, total_ - side.weight) < min_leaf) continue;
    const double here = score(side);
    if (here > best.score) best = {here, g};
  }
  forget();
  return best;
}

Boundary LabelCounts::sweep(const std::uint32_t* order, std::span<const Range> ranges, double min_leaf) {
  return cells_.value.empty() ? sweep_cells<true>(order, ranges, min_leaf)
                              : sweep_cells<false>(order, ranges, min_leaf);
}

double LabelCounts::score_below(const std::uint8_t* bins, std::uint8_t cut, double min_leaf) {
  Side side;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    if (bins[k] <= cut) move<false>(rows_[k], side);
  }
  forget();
  if (std::min(side.weight, total_ - side.weight) < min_leaf) return Boundary{}.score;
  return score(side);
}

void LabelCounts::choose_lead(Random& random) {
  const std::uint64_t salt = random.next();
  std::uint64_t lowest = ~std::uint64_t{0};
  lead_ = nothing;
  for (const Row& row : rows_) {
    for (std::uint32_t k = row.first; k < row.last; ++k) {
      const std::uint64_t draw = mix_bits(salt + cells_.label[k]);
      if (draw >= lowest) continue;
      lowest = draw;
      lead_ = cells_.label[k];
    }
  }
}

double LabelCounts::lead_of(const Row& row) const {
  double sum = 0;
  for (std::uint32_t k = row.first; k < row.last; ++k) {
    if (cells_.label[k] == lead_) sum += row.weight * value(k);
  }
  return sum;
}

double LabelCounts::lead_total() const {
  double sum = 0;
  for (const Row& row : rows_) sum += lead_of(row);
  return sum;
}

double LabelCounts::lead_sum(std::span<const std::uint32_t> positions) const {
  double sum = 0;
  for (const std::uint32_t at : positions) sum += lead_of(rows_[at]);
  return sum;
}

double LabelCounts::weight_of(std::span<const std::uint32_t> positions) const {
  double sum = 0;
  for (const std::uint32_t at : positions) sum += rows_[at].weight;
  return sum;
}

}  // namespace mmo::trees
