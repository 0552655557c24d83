// Boosted trees: each tree moves all labels' scores down the slope of the weighted logistic loss. Folds are
// boosted in parallel; the loss of the rows that each holds out says when to stop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mmo/core/matrix.h"
#include "mmo/core/table.h"
#include "mmo/eval/evaluate.h"
#include "mmo/learn/trees/forest_scorer.h"
#include "mmo/learn/trees/slopes.h"

namespace mmo {

struct BoostOptions {
  std::size_t rounds = 500;   // at most
  std::size_t patience = 20;  // rounds without a lower held-out loss before it stops
  double rate = 0.07;         // share of the Newton step that a tree takes
  std::size_t depth = 4;
  double min_leaf = 5;                // weight of a leaf's rows
  std::size_t columns_per_split = 0;  // 0 = √columns
  double ridge = 5;                   // rows of a label's mean curvature added to a leaf's
  std::size_t directions = 16;        // more labels are sketched as this many sums while a tree grows
  std::size_t labels_per_leaf = 32;   // a leaf keeps those that gain the most
  trees::LogisticCosts costs;
  std::uint64_t seed = 0;
};

// Rows of fold f < folds are held out by the f-th fit, rows of higher folds by none.
struct RowFolds {
  std::span<const std::uint32_t> fold_of_row;
  std::size_t folds = 0;
};

struct Boosted {
  ForestScorer scorer;  // the mean of the folds' fits: all but one of them saw each row
  DenseMatrix
      held_out;  // n × l logits by the fit that has not seen the row; the base for rows never held out
  std::size_t rounds = 0;
  double loss = 0;  // of the held-out rows, mean over rows
};

[[nodiscard]] Boosted fit_boosted(const Table& table, const Truth& truth, const RowFolds& folds,
                                  const BoostOptions& options);

}  // namespace mmo
