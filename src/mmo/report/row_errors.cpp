#include "mmo/report/row_errors.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "mmo/eval/cells.h"

namespace mmo {
namespace {

// missed × given in one row: beyond this the row is wrong as a whole, rather than mixing up labels.
constexpr std::size_t most_pairs_of_row = 400;

// The first `most` in ascending order.
template <class T, class Key>
void keep_first(std::vector<T>& items, std::size_t most, const Key& key) {
  const auto kept = items.begin() + static_cast<std::ptrdiff_t>(std::min(most, items.size()));
  std::partial_sort(items.begin(), kept, items.end(),
                    [&](const T& a, const T& b) { return key(a) < key(b); });
  items.erase(kept, items.end());
}

}  // namespace

LabelsPerRow labels_per_row(const LabelMatrix& predicted, const Truth& truth, std::size_t most) {
  const auto count = [most](const LabelMatrix& labels) {
    std::vector<std::size_t> rows(most + 1, 0);
    for (std::size_t i = 0; i < labels.rows; ++i) ++rows[std::min(labels.row(i).size(), most)];
    return rows;
  };
  LabelsPerRow result{count(*truth.labels), count(predicted)};
  while (result.truth.size() > 1 && result.truth.back() == 0 && result.predicted.back() == 0) {
    result.truth.pop_back();
    result.predicted.pop_back();
  }
  return result;
}

Confusions confusions(const LabelMatrix& predicted, const Truth& truth, std::size_t most) {
  Confusions result;
  std::unordered_map<std::uint64_t, std::size_t> rows_of;
  std::vector<std::uint64_t> missed;
  std::vector<std::uint64_t> given;
  for (std::size_t i = 0; i < predicted.rows; ++i) {
    missed.clear();
    given.clear();
    visit_row(predicted.row(i), truth.labels->row(i), unknown_row(truth, i), [&](std::uint32_t j, Cell cell) {
      if (cell == Cell::false_negative) missed.push_back(j);
      if (cell == Cell::false_positive) given.push_back(j);
    });
    if (missed.size() * given.size() > most_pairs_of_row) {
      ++result.skipped;
      continue;
    }
    for (const std::uint64_t m : missed) {
      for (const std::uint64_t g : given) ++rows_of[(m << 32U) | g];
    }
  }
  for (const auto& [pair, rows] : rows_of)
    result.pairs.push_back({static_cast<std::uint32_t>(pair >> 32U), static_cast<std::uint32_t>(pair), rows});
  keep_first(result.pairs, most,
             [](const Confusion& c) { return std::tuple(SIZE_MAX - c.rows, c.missed, c.given); });
  return result;
}

std::vector<RowErrors> worst_rows(const LabelMatrix& predicted, const Truth& truth, std::size_t most) {
  std::vector<RowErrors> rows;
  for (std::size_t i = 0; i < predicted.rows; ++i) {
    RowErrors errors;
    errors.row = i;
    visit_row(predicted.row(i), truth.labels->row(i), unknown_row(truth, i), [&](std::uint32_t, Cell cell) {
      errors.right += cell == Cell::true_positive ? 1 : 0;
      errors.missed += cell == Cell::false_negative ? 1 : 0;
      errors.wrong += cell == Cell::false_positive ? 1 : 0;
    });
    if (errors.missed + errors.wrong > 0) rows.push_back(errors);
  }
  keep_first(rows, most,
             [](const RowErrors& e) { return std::tuple(SIZE_MAX - e.missed - e.wrong, e.right, e.row); });
  return rows;
}

}  // namespace mmo
