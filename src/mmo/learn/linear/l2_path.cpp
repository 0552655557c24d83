#include "mmo/learn/linear/l2_path.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mmo/core/parallel.h"
#include "mmo/learn/held_out_rows.h"

namespace mmo {

Choosers enough_choosers(const Problem& problem) {
  constexpr std::size_t enough_labels = 32;     // at least; on few rows as many as make
  constexpr std::size_t enough_cells = 100000;  // held-out cells
  Choosers out;
  out.folds = enough_folds(problem.hold_out);
  const std::vector<std::uint32_t>& fold_of_row = problem.hold_out.fold_of_row();
  const auto rows = static_cast<std::size_t>(std::count_if(
      fold_of_row.begin(), fold_of_row.end(), [&](std::uint32_t fold) { return fold < out.folds; }));
  const std::size_t labels = std::max(enough_labels, enough_cells / std::max<std::size_t>(rows, 1));
  if (problem.trainable.size() > labels) out.labels = spread_labels(problem, labels);
  return out;
}

namespace {

constexpr int most_stronger_points = 3;

// Does dual descent go on from point to point? It keeps a dual variable for each row and column.
bool goes_on_from_duals(const MappedProblem& mapped, const FitSettings& settings,
                        const PathOptions& options) {
  const Problem& problem = *mapped.problem;
  const std::size_t labels =
      options.choosers.labels.empty() ? problem.trainable.size() : options.choosers.labels.size();
  return std::holds_alternative<CsrMatrix>(mapped.x()) && options.rhos.size() > 1 &&
         scales_its_dual(settings.loss) && labels * options.choosers.folds * problem.rows() <= most_duals;
}

// Fits the calibration of the held-out scores and applies it. Uncalibrated scores keep their own zero.
// `start`: that of similar scores.
Calibration calibrate(const HeldOutRows& held_out, bool keep_raw, const Calibration& start,
                      DenseMatrix& scores) {
  DenseMatrix buffer;
  const Truth truth = held_out.truth();
  Calibration calibration = fit_calibration(held_out.of(scores, buffer), *truth.labels, truth.unknown,
                                            truth.row_weights, start.informative ? start : Calibration{});
  if (keep_raw) {
    calibration.scale = 1;
    calibration.shift = 0;
  }
  apply_calibration(calibration, scores);
  return calibration;
}

// The other folds and labels at the chosen L2: they only need to be fitted once.
void fit_the_rest(const MappedProblem& mapped, const PathOptions& options, ChosenLoss& chosen) {
  chosen.settings.labels.clear();
  chosen.settings.stop = options.stop_the_rest;
  FoldFit fit =
      fit_folds(mapped, chosen.settings, mapped.problem->hold_out.folds(), &chosen.weights, options.start);
  chosen.calibration =
      calibrate(HeldOutRows(*mapped.problem), !options.calibrate, chosen.calibration, fit.scores);
  chosen.scores = std::move(fit.scores);
  chosen.weights = std::move(fit.weights);
}

}  // namespace

ChosenLoss walk_l2_path(const MappedProblem& mapped, FitSettings settings, const PathOptions& options) {
  const HeldOutRows held_out(*mapped.problem, options.choosers.folds, options.choosers.labels);
  settings.labels = options.choosers.labels;
  settings.keep_duals = goes_on_from_duals(mapped, settings, options);
  std::vector<double> rhos = options.rhos;
  // From nothing, dual descent takes fewest passes where L2 is strong.
  if (settings.keep_duals) rhos.insert(rhos.begin(), 3 * rhos.front());
  DenseMatrix buffer;
  ChosenLoss chosen;
  // Fits at ρ from the best weights so far: the path only goes on from them. False: the point gains less than
  // this share, too little to go on for.
  const auto visit = [&](double rho, double least_gain) {
    throw_if_cancelled();
    settings.ridge = options.scale * rho * mapped.mean_spread;
    const bool first = chosen.path.empty();
    FoldFit fit =
        fit_folds(mapped, settings, options.choosers.folds, first ? options.start : &chosen.weights);
    const Calibration calibration = calibrate(held_out, !options.calibrate, chosen.calibration, fit.scores);
    PathPoint point{rho, settings.ridge, -calibration.log_loss, calibration.log_loss, fit.summary};
    if (options.criterion) point.value = options.criterion(held_out.of(fit.scores, buffer), held_out.truth());
    if (std::isnan(point.value)) point.value = std::numeric_limits<double>::lowest();  // nothing defined here
    const double gain = first ? 0.0 : point.value - chosen.path[chosen.best].value;
    chosen.path.push_back(point);
    if (first || gain > 0) {
      chosen.best = chosen.path.size() - 1;
      chosen.settings = settings;
      chosen.scores = std::move(fit.scores);
      chosen.calibration = calibration;
      chosen.weights = std::move(fit.weights);
    }
    return first || gain >= least_gain * std::abs(chosen.path[chosen.best].value);
  };
  const auto late = [&] {
    return settings.stop && agree(*mapped.problem->processes, settings.stop());  // clocks differ
  };
  for (std::size_t k = 0; k < rhos.size(); ++k) {
    if (k > 0 && late()) break;
    const bool only_led_there = settings.keep_duals && k == 1;  // by the point put before the path
    if (!visit(rhos[k], only_led_there ? 0.0 : options.least_gain)) break;
  }
  // The optimum may lie beyond the strong end: few rows, many noisy labels.
  if (chosen.best == 0 && rhos.size() > 1) {
    const double factor = std::max(rhos[0] / rhos[1], 3.0);  // also where the steps are finer
    double rho = rhos[0];
    for (int more = 0; more < most_stronger_points && !late(); ++more) {
      rho *= factor;
      if (!visit(rho, options.least_gain)) break;
    }
  }
  chosen.settings.keep_duals = false;
  for (SolvedBlock& block : chosen.weights.blocks) block.dual = {};
  if (!options.choosers.are_all_of(*mapped.problem)) fit_the_rest(mapped, options, chosen);
  return chosen;
}

}  // namespace mmo
