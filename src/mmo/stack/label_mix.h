// Label dependence: each label's score is corrected by what the others' probabilities say.
//   z′ = a·z + Vᵀ(σ(z) − centre) + c        (V is l × l; a and c are scalars)
#pragma once

#include <span>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

struct LabelMix {
  float scale = 1;            // a
  float shift = 0;            // c
  std::vector<float> centre;  // l: mean probability of each label
  DenseMatrix weights;        // l × l, V with its factor b in it; row k = influence of label k
};

// out[j] = σ(scores[j])
void sigmoids(std::span<const float> scores, std::span<float> out);

// In place, one row of logits.
void mix_row(const LabelMix& mix, std::span<float> scores, std::vector<float>& scratch);
void mix(const LabelMix& mix, DenseMatrix& scores);

}  // namespace mmo
