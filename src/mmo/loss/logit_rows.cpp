#include "mmo/loss/logit_rows.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/loss/surrogate.h"

namespace mmo {
namespace {

constexpr std::size_t rows_per_task = 64;

CellCost soft_cell(const LabelCost& cost, double target) {
  const CellCost present = tight_cell(cost, true);
  const CellCost absent = tight_cell(cost, false);
  return {.plus = target * present.plus + (1 - target) * absent.plus,
          .minus = target * present.minus + (1 - target) * absent.minus};
}

// The known labels of one row, in the paper's scale.
struct KnownRow {
  std::vector<std::size_t> label;
  std::vector<double> scores, gradient, curvature;
  std::vector<CellCost> cells;

  void read(const LogitRows& batch, std::size_t row, std::span<const LabelCost> costs) {
    label.clear();
    scores.clear();
    cells.clear();
    for (std::size_t j = 0; j < batch.labels; ++j) {
      const double target = batch.targets[row * batch.labels + j];
      if (std::isnan(target)) continue;
      label.push_back(j);
      scores.push_back(batch.logits[row * batch.labels + j] / 2);
      cells.push_back(soft_cell(costs[j], target));
    }
    gradient.assign(label.size(), 0);
    curvature.assign(label.size(), 0);
  }

  double loss(const LogitLoss& kind) {
    if (!kind.joint) return surrogate_independent(scores, cells, kind.tau, gradient, curvature);
    if (kind.tau == 0) return surrogate_joint(scores, cells, 1, gradient, curvature);
    return surrogate_joint_tau(scores, cells, kind.tau, gradient);
  }

  // dh/dz = ½.
  void write(std::span<double> by_logit, std::span<double> twice_by_logit) const {
    for (std::size_t k = 0; k < label.size(); ++k) {
      if (!by_logit.empty()) by_logit[label[k]] = gradient[k] / 2;
      if (!twice_by_logit.empty()) twice_by_logit[label[k]] = curvature[k] / 4;
    }
  }
};

}  // namespace

std::vector<double> surrogate_of_logits(const LogitRows& batch, std::span<const LabelCost> costs,
                                        const LogitLoss& loss, std::span<double> gradient,
                                        std::span<double> curvature) {
  assert(batch.logits.size() == batch.rows * batch.labels && batch.targets.size() == batch.logits.size());
  assert(costs.size() == batch.labels);
  if (loss.joint && loss.tau > 0 && !curvature.empty())
    throw UsageError(
        "the joint loss has no diagonal curvature at tau > 0; use coupling independent or tau 0");
  std::fill(gradient.begin(), gradient.end(), 0.0);
  std::fill(curvature.begin(), curvature.end(), 0.0);
  std::vector<double> values(batch.rows);
  parallel_ranges(batch.rows, rows_per_task, [&](std::size_t first, std::size_t last) {
    KnownRow row;
    for (std::size_t i = first; i < last; ++i) {
      row.read(batch, i, costs);
      values[i] = row.loss(loss);
      const auto part = [&](std::span<double> all) {
        return all.empty() ? all : all.subspan(i * batch.labels, batch.labels);
      };
      row.write(part(gradient), part(curvature));
    }
  });
  return values;
}

}  // namespace mmo
