// Fits the label mix from out-of-fold scores: what do the other labels' probabilities say about the error of
// this one? With P = σ(z) and its mean p̄,
//   V = (PcᵀPc + ridge·tr/l·I)⁻¹·Pcᵀ(Y − P),  Pc = P − p̄,     Q = Pc·V,     z′ = a·z + b·Q + c,
// V fitted without fold k for the rows of fold k, (a, b, c) by logistic regression over all cells.
#pragma once

#include <cstdint>
#include <span>

#include "mmo/comm/communicator.h"
#include "mmo/core/matrix.h"
#include "mmo/stack/label_mix.h"

namespace mmo {

struct FittedMix {
  LabelMix mix;                                    // fitted on all rows, to be applied to new ones
  DenseMatrix scores;                              // out-of-fold z′ of the training rows
  double log_loss_before = 0, log_loss_after = 0;  // mean over cells
};

// `fold_of_row` gives the fold of each row; unknown cells count as correctly predicted (Y = P).
[[nodiscard]] FittedMix fit_mix(const DenseMatrix& scores, const LabelMatrix& labels,
                                const LabelMatrix* unknown, std::span<const float> row_weights,
                                std::span<const std::uint32_t> fold_of_row, Communicator& processes = alone(),
                                double ridge = 0.1);

// What fit_mix allocates: moments of each fold and of all, V without each and of all, plus the solver for V;
// probabilities, their corrections and the scores.
[[nodiscard]] std::uint64_t mix_bytes(std::size_t rows, std::size_t labels, std::size_t folds,
                                      std::size_t threads);

}  // namespace mmo
