// The walk over strengths of L2: from mapped features to out-of-fold logits and the weights that give them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mmo/calibrate/calibration.h"
#include "mmo/learn/linear/fold_fit.h"
#include "mmo/learn/linear/mapped_problem.h"
#include "mmo/metric/metric.h"

namespace mmo {

// One point of an L2 path.
struct PathPoint {
  double rho = 0, ridge = 0;
  double value = 0;     // the criterion, higher is better
  double log_loss = 0;  // after calibration
  SolveSummary summary;
};

// The best point of one loss's path.
struct ChosenLoss {
  FitSettings settings;
  DenseMatrix scores;  // calibrated out-of-fold logits
  Calibration calibration;
  ColumnWeights weights;  // of the fold fits
  std::vector<PathPoint> path;
  std::size_t best = 0;  // index into path
};

// What chooses L2, one number for all labels.
struct Choosers {
  std::size_t folds = 1;
  std::vector<std::uint32_t> labels;  // empty = all

  [[nodiscard]] bool are_all_of(const Problem& problem) const {
    return folds == problem.hold_out.folds() && labels.empty();
  }
};

// As many folds as hold out 3,000 rows, and 32 labels of all frequencies (more on few rows): beyond them more
// cells sharpen the choice less than they cost.
[[nodiscard]] Choosers enough_choosers(const Problem& problem);

// Dual variables that a point of a path leaves for the next one; where there would be more, that starts anew.
constexpr std::size_t most_duals = std::size_t{1} << 24U;  // 64 MB

struct PathOptions {
  std::vector<double> rhos;  // strong to weak
  double scale = 1;          // L2 = scale·ρ·mean spread
  Choosers choosers;
  double least_gain = 1e-3;              // stop once a point gains less than this share
  bool calibrate = true;                 // else scores stay raw: threshold 0 means 0
  Criterion criterion;                   // empty: the calibrated log-loss decides
  const ColumnWeights* start = nullptr;  // of all labels, for the first point; null: constant scores
  std::function<bool()> stop_the_rest;   // as FitSettings::stop, for what did not choose; may be empty
};

// Walks the path from strong to weak until settings.stop says so, and beyond its strong end where the first
// point is the best, each fit started from the best one so far. At the chosen point all folds and labels are
// fitted.
[[nodiscard]] ChosenLoss walk_l2_path(const MappedProblem& mapped, FitSettings settings,
                                      const PathOptions& options);

}  // namespace mmo
