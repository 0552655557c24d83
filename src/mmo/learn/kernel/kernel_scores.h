// Scores rows by a kernel machine, and checks one that comes from a file.
#pragma once

#include "mmo/core/matrix.h"
#include "mmo/learn/scorer.h"

namespace mmo {

// Adds k(x, landmarks)·W + b to out, rows × labels, for rows x already mapped by the scorer's map; serial.
void add_scores(const KernelScorer& scorer, const DenseMatrix& mapped, float* out);

// Throws ModelError unless sizes agree and all numbers are finite.
void check(const KernelScorer& scorer);

}  // namespace mmo
