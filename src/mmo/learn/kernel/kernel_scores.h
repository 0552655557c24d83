// Rows scored by a kernel machine, and the check of one that comes from a file.
#pragma once

#include "mmo/core/matrix.h"
#include "mmo/learn/scorer.h"

namespace mmo {

// Adds k(x, landmarks)·W + b of rows x that went through the scorer's map to out, rows × labels; serial.
void add_scores(const KernelScorer& scorer, const DenseMatrix& mapped, float* out);

// Throws ModelError unless sizes agree and all numbers are finite.
void check(const KernelScorer& scorer);

}  // namespace mmo
