// Goals with a side condition: maximise one metric among the decisions for which another stays on the right
// side of a bound, e.g. recall subject to precision ≥ 0.9.
//   global     one threshold for all labels, every candidate tried: exact on the given scores
//   per label  thresholds t_j that maximise Σ_j o_j(t_j) + μ·g_j(t_j), the smallest μ that meets the bound
//              (o_j, g_j: what label j adds to objective and condition; micro ratios linearised at λ, the
//              condition's at its bound, where it is exact). Taken only where it pays on rows it was not
//              fitted on.
// The bound is met with a margin of one standard error of the condition over folds, as far as that is
// reachable.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/eval/evaluate.h"
#include "mmo/metric/metric.h"
#include "mmo/rule/decision_rule.h"

namespace mmo {

struct Constraint {
  std::string text;  // as given: "precision>=0.9"
  Metric metric;
  bool at_least = true;  // else at most
  double bound = 0;
};

// "METRIC>=NUMBER" or "METRIC<=NUMBER"; METRIC is anything parse_metric knows. Throws UsageError.
[[nodiscard]] Constraint parse_constraint(const std::string& text, double zero_division = 0.0);

struct ConstrainedRule {
  DecisionRule rule;
  bool per_label = false;
  double value = 0;       // the objective on the scores it was fitted on
  double constraint = 0;  // the condition's metric there
  double margin = 0;      // how far beyond the bound it was asked to be
  double unbound = 0;     // the objective's best value there without the condition
  // Both on rows whose thresholds were fitted without them: what to expect of new rows. None if some fold's
  // thresholds can't meet the bound.
  struct HeldOut {
    double objective = 0, constraint = 0;
    Interval interval;  // of the condition's metric, 95 %
  };
  std::optional<HeldOut> held_out;
};

// What a user should know of such a goal: that new rows may miss the bound, that next to nothing is
// predicted.
[[nodiscard]] std::vector<std::string> constraint_warnings(const Metric& objective,
                                                           const Constraint& constraint,
                                                           const ConstrainedRule& fitted);

struct ConstrainedOptions {
  std::span<const std::uint32_t> fold_of_row;  // of the scores' rows
  std::vector<char> trainable;                 // labels that may be predicted; empty = all
};

// Throws UsageError naming the best reachable value when no threshold meets the bound. What is returned meets
// it on these scores.
[[nodiscard]] ConstrainedRule fit_constrained_rule(const Metric& objective, const Constraint& constraint,
                                                   const DenseMatrix& scores, const Truth& truth,
                                                   const ConstrainedOptions& options);

// How good scores are for such a goal, from global thresholds alone: the objective's best value where the
// bound is met; where it can't be, −1 − (what is missing). `trainable`: labels that may be predicted, empty =
// all.
[[nodiscard]] double constrained_value(const Metric& objective, const Constraint& constraint,
                                       const DenseMatrix& scores, const Truth& truth,
                                       const std::vector<char>& trainable = {});

}  // namespace mmo
