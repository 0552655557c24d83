#include "mmo/loss/batch_counts.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

#include "mmo/core/simd.h"
#include "mmo/loss/softplus.h"

namespace mmo {
namespace {

constexpr std::size_t tile = 1024;  // labels whose sums stay in the first-level cache while rows go by

// Sums per label over rows, in float: exact for hard targets up to 2^24 rows.
struct TileSums {
  std::array<float, tile> hits, predicted, positive, known;  // Σ p·y, Σ p, Σ y, Σ 1

  explicit TileSums(std::size_t labels) {
    for (auto* sums : {&hits, &predicted, &positive, &known}) std::fill_n(sums->begin(), labels, 0.0F);
  }
};

// One cell's part of the four sums.
MMO_INLINE void add_cell(float score, float target, float& hits, float& predicted, float& positive,
                         float& known) {
  const bool is_known = target == target;  // false for NaN
  const float y = simd::select(is_known, target, 0.0F);
  const float one = simd::select(is_known, 1.0F, 0.0F);
  const bool is_predicted = score >= 0.0F;
  hits += simd::select(is_predicted, y, 0.0F);
  predicted += simd::select(is_predicted, one, 0.0F);
  positive += y;
  known += one;
}

// `rows` rows at once, `stride` apart: their sums are loaded and stored once.
template <std::size_t rows>
MMO_INLINE void add_rows(const float* __restrict scores, const float* __restrict targets, std::size_t stride,
                         std::size_t labels, TileSums& sums) {
  float* __restrict hits = sums.hits.data();
  float* __restrict predicted = sums.predicted.data();
  float* __restrict positive = sums.positive.data();
  float* __restrict known = sums.known.data();
  for (std::size_t j = 0; j < labels; ++j) {
    float h = hits[j];
    float p = predicted[j];
    float y = positive[j];
    float k = known[j];
    for (std::size_t i = 0; i < rows; ++i)
      add_cell(scores[i * stride + j], targets[i * stride + j], h, p, y, k);
    hits[j] = h;
    predicted[j] = p;
    positive[j] = y;
    known[j] = k;
  }
}

MMO_SIMD void add_row(const float* scores, const float* targets, std::size_t labels, TileSums& sums) {
  add_rows<1>(scores, targets, 0, labels, sums);
}

MMO_SIMD void add_four_rows(const float* scores, const float* targets, std::size_t stride, std::size_t labels,
                            TileSums& sums) {
  add_rows<4>(scores, targets, stride, labels, sums);
}

// Whole numbers: their sums over j may be taken in any order, so the loop becomes SIMD code.
MMO_SIMD Counts count_row(const float* __restrict scores, const float* __restrict targets,
                          std::size_t labels) {
  std::uint32_t hits = 0;
  std::uint32_t predicted = 0;
  std::uint32_t positive = 0;
  std::uint32_t known = 0;
  for (std::size_t j = 0; j < labels; ++j) {
    const std::uint32_t is_known = targets[j] == targets[j] ? 1 : 0;  // NaN differs from itself
    const std::uint32_t y = targets[j] > 0.5F ? 1 : 0;
    const std::uint32_t p = (scores[j] >= 0.0F ? 1U : 0U) & is_known;
    hits += p & y;
    predicted += p;
    positive += y;
    known += is_known;
  }
  const double tp = hits;
  const double fp = predicted - tp;
  const double fn = positive - tp;
  return {.tp = tp, .fp = fp, .fn = fn, .tn = known - tp - fp - fn};
}

}  // namespace

void row_counts(const ScoreBatch& batch, std::span<Counts> out) {
  const std::size_t labels = batch.labels_count;
  assert(batch.targets.size() == batch.rows * labels && out.size() == batch.rows);
  for (std::size_t i = 0; i < batch.rows; ++i)
    out[i] = count_row(batch.scores.data() + i * labels, batch.targets.data() + i * labels, labels);
}

void batch_counts(const ScoreBatch& batch, std::span<Counts> out) {
  const std::size_t labels = batch.labels_count;
  assert(batch.targets.size() == batch.rows * labels && (out.size() == 1 || out.size() == labels));
  Counts all;
  for (std::size_t first = 0; first < labels; first += tile) {
    const std::size_t count = std::min(tile, labels - first);
    TileSums sums(count);
    const float* scores = batch.scores.data() + first;
    const float* targets = batch.targets.data() + first;
    std::size_t i = 0;
    for (; i + 4 <= batch.rows; i += 4)
      add_four_rows(scores + i * labels, targets + i * labels, labels, count, sums);
    for (; i < batch.rows; ++i) add_row(scores + i * labels, targets + i * labels, count, sums);
    for (std::size_t j = 0; j < count; ++j) {
      const double tp = sums.hits[j];
      const double fp = sums.predicted[j] - tp;
      const double fn = sums.positive[j] - tp;
      const Counts label{.tp = tp, .fp = fp, .fn = fn, .tn = sums.known[j] - tp - fp - fn};
      if (out.size() == labels) {
        out[first + j] = label;
      } else {
        all += label;
      }
    }
  }
  if (out.size() != labels) out[0] = all;
}

}  // namespace mmo
