#include "mmo/calibrate/calibration.h"

#include <algorithm>
#include <cmath>

#include "mmo/calibrate/logistic_fit.h"

namespace mmo {
namespace {

// Of z per standard deviation of the scores: below this they carry no information.
constexpr double smallest_effect = 1e-3;

}  // namespace

Calibration fit_calibration(const DenseMatrix& scores, const LabelMatrix& labels, const LabelMatrix* unknown,
                            std::span<const float> row_weights, const Calibration& start) {
  const ScoreCells cells(scores, nullptr, labels, unknown, row_weights);
  auto at = cells.minimise({start.scale, 0.0, start.shift});
  // Scores that rank the wrong way round carry no signal; flipping them would pretend there is one.
  const double smallest_scale = smallest_effect / std::max(cells.spread(), 1e-12);
  const bool informative = at.theta[0] > smallest_scale;
  if (!informative) {
    at = cells.expand({smallest_scale, 0.0, 0.0});
    for (int round = 0; round < 30 && std::abs(at.gradient[2]) > 1e-6 && at.hessian[2][2] > 0; ++round) {
      const double move = std::clamp(at.gradient[2] / at.hessian[2][2], -2.0, 2.0);
      at = cells.expand({smallest_scale, 0.0, at.theta[2] - move});
    }
  }
  return {at.theta[0], at.theta[2], at.value, informative};
}

void apply_calibration(const Calibration& calibration, DenseMatrix& scores) {
  const auto a = static_cast<float>(calibration.scale);
  const auto b = static_cast<float>(calibration.shift);
  for (float& s : scores.values) s = a * s + b;
}

}  // namespace mmo
