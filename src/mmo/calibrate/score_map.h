// From another system's scores to calibrated logits and back.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mmo/calibrate/calibration.h"
#include "mmo/core/matrix.h"

namespace mmo {

// The user's scores s as calibrated logits z = scale·u + shift, u = s or, for probabilities, logit(s).
struct ScoreMap {
  bool probabilities = false;
  Calibration calibration;

  [[nodiscard]] DenseMatrix apply(DenseMatrix scores) const;
  // The score whose logit is z.
  [[nodiscard]] double inverse(double z) const;
};

// `probabilities` says whether they are; if not given, scores that all lie in [0, 1] count as such. `unknown`
// may be null; `row_weights` empty = all 1. Throws DataError naming `source` if higher scores go with absent
// labels, unless `accept_reversed`: a barely trained network may well be worse than chance.
[[nodiscard]] ScoreMap fit_score_map(const DenseMatrix& scores, const LabelMatrix& labels,
                                     const LabelMatrix* unknown, std::span<const float> row_weights,
                                     const std::string& source,
                                     std::optional<bool> probabilities = std::nullopt,
                                     bool accept_reversed = false);

// Thresholds of logits on the scale of the scores: for each label a short number between the largest score
// that the rule rejects and the smallest that it accepts, so that `score >= threshold` decides these scores
// as the rule does, in 32-bit and in 64-bit numbers. ±infinity = always, never.
[[nodiscard]] std::vector<double> input_thresholds(std::span<const float> thresholds, const ScoreMap& map,
                                                   const DenseMatrix& scores);

}  // namespace mmo
