// Walking the cells of a row that are not true negatives, from the sorted label lists alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "mmo/eval/evaluate.h"

namespace mmo {

enum class Cell { true_positive, false_positive, false_negative, unknown };

// Calls visit(label, Cell) for every predicted, present or unknown label of a row, in ascending order. All
// other cells are true negatives.
template <class Visit>
void visit_row(std::span<const std::uint32_t> predicted, std::span<const std::uint32_t> present,
               std::span<const std::uint32_t> unknown, const Visit& visit) {
  static constexpr std::uint32_t none = UINT32_MAX;  // no label has this number
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t u = 0;
  const auto at = [](std::span<const std::uint32_t> list, std::size_t k) {
    return k < list.size() ? list[k] : none;
  };
  while (p < predicted.size() || t < present.size() || u < unknown.size()) {
    const std::uint32_t label_p = at(predicted, p);
    const std::uint32_t label_t = at(present, t);
    const std::uint32_t label_u = at(unknown, u);
    const std::uint32_t label = std::min({label_p, label_t, label_u});
    if (label == label_u) {
      visit(label, Cell::unknown);
    } else if (label_p == label_t) {
      visit(label, Cell::true_positive);
    } else {
      visit(label, label == label_p ? Cell::false_positive : Cell::false_negative);
    }
    p += label == label_p ? 1 : 0;
    t += label == label_t ? 1 : 0;
    u += label == label_u ? 1 : 0;
  }
}

// The unknown labels of a row; none if every cell is known.
inline std::span<const std::uint32_t> unknown_row(const Truth& truth, std::size_t row) {
  return truth.unknown == nullptr || truth.unknown->rows == 0 ? std::span<const std::uint32_t>{}
                                                              : truth.unknown->row(row);
}

inline double row_weight(const Truth& truth, std::size_t row) {
  return truth.row_weights.empty() ? 1.0 : truth.row_weights[row];
}

inline double label_weight(std::span<const float> weights, std::size_t label) {
  return weights.empty() ? 1.0 : weights[label];
}

// Throws DataError unless predictions and truth have the same shape.
void check_shapes(const LabelMatrix& predicted, const Truth& truth);

// ℓ_α and ℓ_β of one row summed over its known labels, each times its label weight.
struct RowSums {
  double numerator = 0, denominator = 0;
};
[[nodiscard]] std::vector<RowSums> row_sums(const Metric& metric, const LabelMatrix& predicted,
                                            const Truth& truth);

// Σ w·v / Σ w over the values that are not NaN; the plain mean if every weight is 0; NaN if none is left.
[[nodiscard]] double mean_of_defined(std::span<const double> values, std::span<const double> weights);

}  // namespace mmo
