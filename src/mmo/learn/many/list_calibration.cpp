#include "mmo/learn/many/list_calibration.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mmo/eval/cells.h"

namespace mmo {
namespace {

constexpr std::size_t enough_cells = 1'000'000;  // for four numbers

struct ListedCell {
  double score, frequency, weight;
  bool positive;
};

std::vector<ListedCell> listed_cells(const ShortLists& lists, const Truth& truth,
                                     std::span<const float> frequencies) {
  const std::size_t step = 1 + lists.entries.size() / enough_cells;
  std::vector<ListedCell> out;
  for (std::size_t i = 0; i < lists.rows; i += step) {
    const auto present = truth.labels->row(i);
    const auto unknown = unknown_row(truth, i);
    for (const auto& [label, score] : lists.row(i)) {
      if (std::binary_search(unknown.begin(), unknown.end(), label)) continue;
      out.push_back({static_cast<double>(score), static_cast<double>(frequencies[label]),
                     row_weight(truth, i), std::binary_search(present.begin(), present.end(), label)});
    }
  }
  return out;
}

using Vector = std::array<double, 4>;

struct Expansion {
  double value = 0;
  Vector gradient{};
  std::array<Vector, 4> hessian{};
};

// Mean of softplus(−t·θᵀv), v = (s, 1, f·s, f), with its derivatives.
Expansion expand(const std::vector<ListedCell>& cells, const Vector& theta) {
  Expansion out;
  double mass = 0;
  for (const ListedCell& cell : cells) {
    const Vector v{cell.score, 1, cell.frequency * cell.score, cell.frequency};
    double z = 0;
    for (std::size_t a = 0; a < 4; ++a) z += theta[a] * v[a];
    const double p = 1 / (1 + std::exp(-z));
    const double margin = cell.positive ? z : -z;
    out.value += cell.weight * (std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin))));
    const double slope = cell.weight * (p - (cell.positive ? 1 : 0));
    const double curvature = cell.weight * p * (1 - p);
    for (std::size_t a = 0; a < 4; ++a) {
      out.gradient[a] += slope * v[a];
      for (std::size_t b = 0; b < 4; ++b) out.hessian[a][b] += curvature * v[a] * v[b];
    }
    mass += cell.weight;
  }
  if (!(mass > 0)) return out;
  out.value /= mass;
  for (std::size_t a = 0; a < 4; ++a) {
    out.gradient[a] /= mass;
    for (double& h : out.hessian[a]) h /= mass;
  }
  return out;
}

// H⁻¹·g by Gauss–Jordan elimination over the `free` parameters; the others don't move.
Vector newton_step(Expansion at, const std::array<bool, 4>& free) {
  constexpr double ridge = 1e-9;
  for (std::size_t a = 0; a < 4; ++a) {
    if (!free[a]) {
      at.gradient[a] = 0;
      for (std::size_t b = 0; b < 4; ++b) at.hessian[a][b] = at.hessian[b][a] = 0;
      at.hessian[a][a] = 1;
    }
    at.hessian[a][a] += ridge;
  }
  for (std::size_t p = 0; p < 4; ++p) {
    for (std::size_t a = 0; a < 4; ++a) {
      if (a == p) continue;
      const double factor = at.hessian[a][p] / at.hessian[p][p];
      for (std::size_t b = 0; b < 4; ++b) at.hessian[a][b] -= factor * at.hessian[p][b];
      at.gradient[a] -= factor * at.gradient[p];
    }
  }
  Vector out{};
  for (std::size_t a = 0; a < 4; ++a) out[a] = at.gradient[a] / at.hessian[a][a];
  return out;
}

ListCalibration minimise(const std::vector<ListedCell>& cells, const std::array<bool, 4>& free) {
  constexpr int most_steps = 30;
  constexpr double smallest_gain = 1e-9;
  ListCalibration out;
  Expansion at = expand(cells, out.theta);
  for (int step = 0; step < most_steps; ++step) {
    const Vector move = newton_step(at, free);
    double length = 1;
    Expansion next;
    Vector theta{};
    do {  // halved until it is downhill
      for (std::size_t a = 0; a < 4; ++a) theta[a] = out.theta[a] - length * move[a];
      next = expand(cells, theta);
      length /= 2;
    } while (!(next.value <= at.value) && length > 1e-6);
    if (!(next.value < at.value - smallest_gain)) break;
    out.theta = theta;
    at = next;
  }
  out.log_loss = at.value;
  return out;
}

}  // namespace

std::vector<float> log_frequencies(std::span<const std::size_t> positives) {
  std::vector<float> out;
  for (const std::size_t count : positives)
    out.push_back(static_cast<float>(std::log1p(static_cast<double>(count))));
  return out;
}

ListCalibration fit_list_calibration(const ShortLists& lists, const Truth& truth,
                                     std::span<const float> frequencies) {
  const std::vector<ListedCell> cells = listed_cells(lists, truth, frequencies);
  const bool both = std::any_of(cells.begin(), cells.end(), [](const ListedCell& c) { return c.positive; }) &&
                    std::any_of(cells.begin(), cells.end(), [](const ListedCell& c) { return !c.positive; });
  if (!both) return {};
  const auto rises = [&](const ListCalibration& fitted) {
    return std::all_of(frequencies.begin(), frequencies.end(),
                       [&](float f) { return fitted.scale(f) > 1e-3F; });
  };
  const ListCalibration full = minimise(cells, {true, true, true, true});
  if (rises(full)) return full;
  const ListCalibration shared = minimise(cells, {true, true, false, true});
  return rises(shared) ? shared : ListCalibration{};
}

void apply_calibration(const ListCalibration& calibration, std::span<const float> frequencies,
                       ShortLists& lists) {
  for (LabelScore& entry : lists.entries) {
    const float f = frequencies[entry.label];
    entry.score = calibration.scale(f) * entry.score + calibration.shift(f);
  }
  for (std::size_t i = 0; i < lists.rows; ++i) {
    std::sort(lists.entries.begin() + static_cast<std::ptrdiff_t>(lists.offsets[i]),
              lists.entries.begin() + static_cast<std::ptrdiff_t>(lists.offsets[i + 1]), ranks_before);
  }
}

}  // namespace mmo
