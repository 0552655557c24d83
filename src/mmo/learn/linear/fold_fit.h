// Out-of-fold scores: every label is fitted once without each fold, and each row is scored by the fit that
// did not see it. One solve for all labels and folds.
#pragma once

#include <functional>
#include <vector>

#include "mmo/columns/fit_columns.h"
#include "mmo/core/matrix.h"
#include "mmo/cost/cost.h"
#include "mmo/learn/linear/mapped_problem.h"
#include "mmo/learn/scorer.h"

namespace mmo {

struct FitSettings {
  ColumnLoss loss;
  double ridge = 1;
  std::vector<LabelCost> costs;       // per label; empty = 1, 1
  std::vector<std::uint32_t> labels;  // to fit; empty = all trainable ones
  double tolerance = 1e-3;
  std::size_t pairs = 8;          // that L-BFGS keeps
  bool keep_duals = false;        // in the weights of fit_folds, for a start at another ridge
  std::size_t block_columns = 0;  // solved at once by fit_full; 0: as many as are fastest
  std::function<bool()> stop;     // polled between iterations: columns then end where they are; may be empty
};

// Weights of solved columns, for warm starts: (d + 1) × count, one block after the other. The columns of one
// fold stand together, so that most blocks leave out the same rows; the labels in the order of solving.
struct ColumnWeights {
  std::vector<std::uint32_t> labels;
  std::size_t folds = 0;
  std::vector<SolvedBlock> blocks;
};

struct SolveSummary {
  std::size_t columns = 0, iterations = 0, unfinished = 0;  // unfinished: iteration limit or stalled
};

struct FoldFit {
  DenseMatrix scores;     // n × l; rows that are never held out keep 0
  ColumnWeights weights;  // warm start of the next fit on the same path
  SolveSummary summary;
};

// Fits the folds 0 … folds − 1. `warm` (may be null) must come from the same problem and map; a fold it lacks
// starts from the mean of those it has, a label it lacks from `fallback`, or else from a constant score.
// (Where the solver takes a start at all: fit_columns.h.)
[[nodiscard]] FoldFit fit_folds(const MappedProblem& mapped, const FitSettings& settings, std::size_t folds,
                                const ColumnWeights* warm, const ColumnWeights* fallback = nullptr);

// A model's arrays from a map and its (d + 1) × l weights, bias last.
[[nodiscard]] LinearScorer linear_scorer(FeatureMap map, DenseMatrix weights);

struct FullFit {
  DenseMatrix weights;  // (d + 1) × l over the map's output, bias last; untrained labels 0
  SolveSummary summary;
};

// The final fit on all rows (but those of a separate validation file). `warm`: the fold fits at the same
// settings; each label starts from the mean of its folds.
[[nodiscard]] FullFit fit_full(const MappedProblem& mapped, const FitSettings& settings,
                               const ColumnWeights* warm);

}  // namespace mmo
