// From the scores of another system to calibrated logits and back, for `mmo tune`.
#pragma once

#include <vector>

#include "cli/score_file.h"
#include "mmo/core/matrix.h"
#include "mmo/eval/evaluate.h"
#include "mmo/rule/decision_rule.h"
#include "mmo/stack/calibration.h"

namespace mmo::cli {

// The user's scores s as calibrated logits z = scale·u + shift, u = s or, for probabilities, logit(s).
struct ScoreMap {
  bool probabilities = false;
  Calibration calibration;

  [[nodiscard]] DenseMatrix apply(DenseMatrix scores) const;
  // The score whose logit is z.
  [[nodiscard]] double inverse(double z) const;
};

// Scores that all lie in [0, 1] are taken for probabilities. Throws DataError where higher scores go with
// absent labels.
[[nodiscard]] ScoreMap fit_map(const ScoreFile& file, const Truth& truth);

// A rule of thresholds in the scale of the scores: for each label a number of few digits between the largest
// score that the rule leaves out and the smallest that it takes, so that `score >= threshold` decides these
// scores as the rule does, in 32-bit and in 64-bit numbers. ±infinity = always, never.
[[nodiscard]] std::vector<double> input_thresholds(const DecisionRule& rule, const ScoreMap& map,
                                                   const DenseMatrix& scores);

}  // namespace mmo::cli
