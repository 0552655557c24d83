#include "mmo/stack/calibration.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mmo/loss/softplus.h"

namespace mmo {
namespace {

// Two parameters need no more cells than this; larger matrices are read every so many rows.
constexpr std::size_t enough_cells = 500'000;

// Of z per standard deviation of the scores: below it they say nothing.
constexpr double smallest_effect = 1e-3;

struct Cell {
  float score, sign, weight;
};

std::vector<Cell> known_cells(const DenseMatrix& scores, const LabelMatrix& labels,
                              const LabelMatrix* unknown, std::span<const float> row_weights) {
  const std::size_t every = std::max<std::size_t>(1, scores.rows * scores.cols / enough_cells);
  std::vector<Cell> cells;
  cells.reserve((scores.rows / every + 1) * scores.cols);
  for (std::size_t i = 0; i < scores.rows; i += every) {
    const std::size_t first = cells.size();
    const float weight = row_weights.empty() ? 1.0F : row_weights[i];
    for (const float s : scores.row(i)) cells.push_back({s, -1.0F, weight});
    for (const std::uint32_t j : labels.row(i)) cells[first + j].sign = 1.0F;
    if (unknown != nullptr && unknown->rows > 0) {
      for (const std::uint32_t j : unknown->row(i)) cells[first + j].weight = 0.0F;
    }
  }
  return cells;
}

// Loss, gradient and Hessian in (a, b).
struct Quadratic {
  double value = 0, ga = 0, gb = 0, haa = 0, hab = 0, hbb = 0;
};

Quadratic expand(const std::vector<Cell>& cells, double a, double b) {
  Quadratic q;
  for (const Cell& cell : cells) {
    float loss = 0;
    float slope = 0;
    softplus_sigmoid(-cell.sign * static_cast<float>(a * cell.score + b), loss, slope);
    const double g = -cell.weight * cell.sign * slope;
    const double h = cell.weight * slope * (1.0F - slope);
    q.value += cell.weight * loss;
    q.ga += g * cell.score;
    q.gb += g;
    q.haa += h * cell.score * cell.score;
    q.hab += h * cell.score;
    q.hbb += h;
  }
  return q;
}

}  // namespace

Calibration fit_calibration(const DenseMatrix& scores, const LabelMatrix& labels, const LabelMatrix* unknown,
                            std::span<const float> row_weights) {
  const std::vector<Cell> cells = known_cells(scores, labels, unknown, row_weights);
  double mass = 0;
  for (const Cell& cell : cells) mass += cell.weight;
  Calibration best;
  Quadratic at = expand(cells, best.scale, best.shift);
  for (int round = 0; round < 30; ++round) {
    // Newton with a little damping; halve the step until the loss falls.
    const double damp = 1e-9 * (at.haa + at.hbb) + 1e-12;
    const double det = (at.haa + damp) * (at.hbb + damp) - at.hab * at.hab;
    const double da = -((at.hbb + damp) * at.ga - at.hab * at.gb) / det;
    const double db = -((at.haa + damp) * at.gb - at.hab * at.ga) / det;
    const double decrease = -(da * at.ga + db * at.gb);
    if (!(decrease > 1e-8 * at.value)) break;
    bool moved = false;
    for (double step = 1.0; step > 1e-3 && !moved; step *= 0.5) {
      const Quadratic next = expand(cells, best.scale + step * da, best.shift + step * db);
      if (next.value < at.value) {
        best.scale += step * da;
        best.shift += step * db;
        at = next;
        moved = true;
      }
    }
    if (!moved) break;
  }
  // Scores that rank the wrong way round carry no signal; turning them over would promise one.
  double mean = 0;
  double square = 0;
  for (const Cell& cell : cells) {
    mean += cell.score / static_cast<double>(cells.size());
    square += static_cast<double>(cell.score) * cell.score / static_cast<double>(cells.size());
  }
  const double smallest_scale =
      smallest_effect / std::max(std::sqrt(std::max(square - mean * mean, 0.0)), 1e-12);
  if (best.scale < smallest_scale) {
    best.scale = smallest_scale;
    best.shift = 0;
    at = expand(cells, best.scale, best.shift);
    for (int round = 0; round < 30 && std::abs(at.gb) > 1e-6 * mass && at.hbb > 0; ++round) {
      best.shift -= std::clamp(at.gb / at.hbb, -2.0, 2.0);
      at = expand(cells, best.scale, best.shift);
    }
  }
  best.informative = best.scale > smallest_scale;
  best.log_loss = mass > 0 ? at.value / mass : 0.0;
  return best;
}

void apply_calibration(const Calibration& calibration, DenseMatrix& scores) {
  const auto a = static_cast<float>(calibration.scale);
  const auto b = static_cast<float>(calibration.shift);
  for (float& s : scores.values) s = a * s + b;
}

}  // namespace mmo
