#include "mmo/search/selection.h"

#include <cmath>
#include <limits>

#include "mmo/core/parallel.h"
#include "mmo/search/held_out_rows.h"

namespace mmo {

ChosenLoss walk_l2_path(const MappedProblem& mapped, FitSettings settings, const PathOptions& options) {
  const HeldOutRows held_out(*mapped.problem);
  const Truth truth = held_out.truth();
  DenseMatrix buffer;
  ChosenLoss chosen;
  ColumnWeights last;
  for (const double rho : options.rhos) {
    throw_if_cancelled();
    if (!chosen.path.empty() && options.out_of_time && options.out_of_time()) break;
    settings.ridge = options.scale * rho * mapped.mean_spread;
    FoldFit fit = fit_folds(mapped, settings, chosen.path.empty() ? nullptr : &last);
    PathPoint point{rho, settings.ridge, 0, 0, fit.summary};
    Calibration calibration =
        fit_calibration(held_out.of(fit.scores, buffer), *truth.labels, truth.unknown, truth.row_weights);
    point.log_loss = calibration.log_loss;
    if (!options.calibrate) {
      calibration.scale = 1;
      calibration.shift = 0;
    }
    apply_calibration(calibration, fit.scores);
    point.value = options.criterion ? options.criterion(fit.scores) : -point.log_loss;
    if (std::isnan(point.value)) point.value = std::numeric_limits<double>::lowest();  // nothing defined here
    const bool first = chosen.path.empty();
    const double gain = first ? 0.0 : point.value - chosen.path[chosen.best].value;
    chosen.path.push_back(point);
    last = std::move(fit.weights);
    if (first || gain > 0) {
      chosen.best = chosen.path.size() - 1;
      chosen.settings = settings;
      chosen.scores = std::move(fit.scores);
      chosen.calibration = calibration;
      chosen.weights = last;
    }
    if (!first && gain < options.least_gain * std::abs(chosen.path[chosen.best].value)) break;
  }
  return chosen;
}

}  // namespace mmo
