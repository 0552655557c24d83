#include "mmo/learn/trees/label_counts.h"

#include <algorithm>

#include "mmo/learn/trees/row_keys.h"

namespace mmo::trees {

LabelCounts::LabelCounts(const LabelCells& cells, std::span<const float> weights)
    : all_(cells),
      weights_(weights),
      label_total_(cells.labels, 0),
      label_rows_(cells.labels, 0),
      label_local_(cells.labels, nothing) {}

void LabelCounts::enter(std::span<const std::uint32_t> rows) {
  node_rows_ = rows;
  total_up(rows);
  collect(rows);
  for (const std::uint32_t i : rows) {
    for (std::uint32_t k = all_.offsets[i]; k < all_.offsets[i + 1]; ++k) {
      const std::uint32_t j = all_.label[k];
      label_total_[j] = 0;
      label_rows_[j] = 0;
      label_local_[j] = nothing;
    }
  }
}

// T_j, Σ T_j² and how many rows have each label.
void LabelCounts::total_up(std::span<const std::uint32_t> rows) {
  total_ = total_squares_ = mass_ = 0;
  rows_.clear();
  for (const std::uint32_t i : rows) {
    const Row row{0, 0, weights_[i], 0, 0, 0};
    total_ += row.weight;
    for (std::uint32_t k = all_.offsets[i]; k < all_.offsets[i + 1]; ++k) {
      const std::uint32_t j = all_.label[k];
      const double a = amount(row, k);
      total_squares_ += a * (2 * label_total_[j] + a);
      mass_ += a * (all_.ceiling.empty() ? 1.0 : all_.ceiling[j]);
      label_total_[j] += a;
      ++label_rows_[j];
    }
    rows_.push_back(row);
  }
}

void LabelCounts::collect(std::span<const std::uint32_t> rows) {
  cells_.clear();
  std::uint32_t labels = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    Row& row = rows_[at];
    row.first = static_cast<std::uint32_t>(cells_.size());
    for (std::uint32_t k = all_.offsets[rows[at]]; k < all_.offsets[rows[at] + 1]; ++k) {
      const std::uint32_t j = all_.label[k];
      const double a = amount(row, k);
      row.cross += a * label_total_[j];
      if (label_rows_[j] == 1) {
        row.alone += a * a;
        continue;
      }
      if (label_local_[j] == nothing) label_local_[j] = labels++;
      cells_.push_back({a, label_local_[j]});
    }
    row.last = static_cast<std::uint32_t>(cells_.size());
  }
  counts_.assign(labels, 0.0);
}

void LabelCounts::move(const Row& row, Side& side) {
  side.weight += row.weight;
  side.cross += row.cross;
  side.squares += row.alone;
  for (std::uint32_t k = row.first; k < row.last; ++k) {
    const Cell& cell = cells_[k];
    double& c = counts_[cell.local];
    side.squares += cell.amount * (2 * c + cell.amount);
    c += cell.amount;
  }
}

double LabelCounts::score(const Side& side) const {
  return side.squares / side.weight +
         (total_squares_ - 2 * side.cross + side.squares) / (total_ - side.weight);
}

Boundary LabelCounts::sweep(const std::uint32_t* order, std::span<const Range> ranges, double min_leaf) {
  Boundary best;
  Side side;
  for (std::size_t g = 0; g < ranges.size(); ++g) {
    for (std::uint32_t k = ranges[g].first; k < ranges[g].last; ++k) move(rows_[order[k]], side);
    if (std::min(side.weight, total_ - side.weight) < min_leaf) continue;
    const double here = score(side);
    if (here > best.score) best = {here, g};
  }
  std::fill(counts_.begin(), counts_.end(), 0.0);
  return best;
}

double LabelCounts::score_below(const std::uint8_t* bins, std::uint8_t cut, double min_leaf) {
  Side side;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    if (bins[k] <= cut) move(rows_[k], side);
  }
  std::fill(counts_.begin(), counts_.end(), 0.0);
  if (std::min(side.weight, total_ - side.weight) < min_leaf) return Boundary{}.score;
  return score(side);
}

void LabelCounts::choose_lead(Random& random) {
  const std::uint64_t salt = random.next();
  std::uint64_t lowest = ~std::uint64_t{0};
  std::uint32_t lead = nothing;
  for (const std::uint32_t i : node_rows_) {
    for (std::uint32_t k = all_.offsets[i]; k < all_.offsets[i + 1]; ++k) {
      const std::uint64_t draw = mix_bits(salt + all_.label[k]);
      if (draw >= lowest) continue;
      lowest = draw;
      lead = all_.label[k];
    }
  }
  for (std::size_t at = 0; at < rows_.size(); ++at) {
    Row& row = rows_[at];
    row.lead = 0;
    for (std::uint32_t k = all_.offsets[node_rows_[at]]; k < all_.offsets[node_rows_[at] + 1]; ++k) {
      if (all_.label[k] == lead) row.lead += amount(row, k);
    }
  }
}

double LabelCounts::lead_total() const {
  double sum = 0;
  for (const Row& row : rows_) sum += row.lead;
  return sum;
}

double LabelCounts::lead_sum(std::span<const std::uint32_t> positions) const {
  double sum = 0;
  for (const std::uint32_t at : positions) sum += rows_[at].lead;
  return sum;
}

double LabelCounts::weight_of(std::span<const std::uint32_t> positions) const {
  double sum = 0;
  for (const std::uint32_t at : positions) sum += rows_[at].weight;
  return sum;
}

}  // namespace mmo::trees
