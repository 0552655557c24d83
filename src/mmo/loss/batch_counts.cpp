#include "mmo/loss/batch_counts.h"

#include <cassert>
#include <vector>

#include "mmo/core/simd.h"
#include "mmo/loss/softplus.h"

namespace mmo {
namespace {

// Sums per label over rows, in float: exact for hard targets up to 2^24 rows.
struct LabelSums {
  std::vector<float> hits, predicted, positive, known;  // Σ p·y, Σ p, Σ y, Σ 1
  explicit LabelSums(std::size_t labels) : hits(labels), predicted(labels), positive(labels), known(labels) {}
};

MMO_SIMD void add_row(const float* __restrict scores, const float* __restrict targets, std::size_t labels,
                      float* __restrict hits, float* __restrict predicted, float* __restrict positive,
                      float* __restrict known) {
  for (std::size_t j = 0; j < labels; ++j) {
    const bool is_known = targets[j] == targets[j];  // false for NaN
    const float y = simd::select(is_known, targets[j], 0.0F);
    const float one = simd::select(is_known, 1.0F, 0.0F);
    const float p = simd::select(scores[j] >= 0.0F, one, 0.0F);
    hits[j] += p * y;
    predicted[j] += p;
    positive[j] += y;
    known[j] += one;
  }
}

}  // namespace

void batch_counts(const ScoreBatch& batch, std::span<Counts> out) {
  const std::size_t labels = batch.labels_count;
  assert(batch.targets.size() == batch.rows * labels && (out.size() == 1 || out.size() == labels));
  LabelSums sums(labels);
  for (std::size_t i = 0; i < batch.rows; ++i) {
    add_row(batch.scores.data() + i * labels, batch.targets.data() + i * labels, labels, sums.hits.data(),
            sums.predicted.data(), sums.positive.data(), sums.known.data());
  }
  for (Counts& c : out) c = {};
  for (std::size_t j = 0; j < labels; ++j) {
    const double tp = sums.hits[j];
    const double fp = sums.predicted[j] - tp;
    const double fn = sums.positive[j] - tp;
    out[out.size() == 1 ? 0 : j] += {.tp = tp, .fp = fp, .fn = fn, .tn = sums.known[j] - tp - fp - fn};
  }
}

}  // namespace mmo
