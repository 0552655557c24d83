// λ that follows training (paper, Section 5, single pass; deviation: counts instead of batch values). A batch
// holds too few positives of a rare label for a value of its own (0/0 = 0 would pull λ down), so we keep
// fading counts with memory m, and labels with a λ each are shrunk by a share ν of the cells counted:
//   c ← m·c + fresh,   λ = N(c) / (D(c) + ν·n(c)),  n = TP + FP + FN + TN.
// A label far rarer than ν gets λ ≈ N/(ν·n): its false negatives weigh as if labels were balanced, instead of
// following a λ that a handful of memorised rows drives to 1. As a share, ν means the same for any batch size
// and memory.
#pragma once

#include <span>

#include "mmo/metric/metric.h"

namespace mmo {

struct CountMemory {
  double decay = 0.99;   // m, per batch: about the last hundred batches
  double shrinkage = 0;  // ν
};

// Defaults for the core, networks and Python.
[[nodiscard]] CountMemory default_memory(bool per_label);

// λ before anything is counted: the middle of the values the ratio can take.
[[nodiscard]] double start_lambda(const CountRatio& ratio);

// c ← m·c + fresh
void fade_in(std::span<const Counts> fresh, double decay, std::span<Counts> kept);

// `fresh`, `kept` and `lambda` have one entry (all labels together) or one per label. Where D + ν·n is 0, λ
// stays.
void follow_counts(const Metric& metric, std::span<const Counts> fresh, const CountMemory& memory,
                   std::span<Counts> kept, std::span<double> lambda);

// Metrics averaged over rows: rows that have a ratio (not 0/0) and the sum of those ratios.
struct RowRatios {
  double sum = 0, rows = 0;
};

// r ← m·r + fresh, λ = sum / rows; it stays while there are no rows.
void follow_rows(const RowRatios& fresh, double decay, RowRatios& kept, double& lambda);

}  // namespace mmo
