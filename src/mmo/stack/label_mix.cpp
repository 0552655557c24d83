#include "mmo/stack/label_mix.h"

#include <cassert>

#include "mmo/core/parallel.h"
#include "mmo/core/product.h"
#include "mmo/core/simd.h"
#include "mmo/loss/softplus.h"

namespace mmo {
namespace {

constexpr std::size_t rows_per_task = 64;

// z ← a·z + Vᵀ(σ(z) − centre) + c for `rows` consecutive rows.
void mix_rows(const LabelMix& mix, float* scores, std::size_t rows, std::vector<float>& centred) {
  const std::size_t labels = mix.centre.size();
  centred.resize(rows * labels);
  sigmoids({scores, centred.size()}, centred);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < labels; ++j) centred[i * labels + j] -= mix.centre[j];
  }
  for (std::size_t e = 0; e < centred.size(); ++e) scores[e] = mix.scale * scores[e] + mix.shift;
  add_product(centred.data(), rows, mix.weights, scores);
}

}  // namespace

MMO_SIMD void sigmoids(std::span<const float> scores, std::span<float> out) {
  for (std::size_t e = 0; e < scores.size(); ++e) out[e] = sigmoid(scores[e]);
}

void mix_row(const LabelMix& mix, std::span<float> scores, std::vector<float>& scratch) {
  assert(scores.size() == mix.centre.size());
  mix_rows(mix, scores.data(), 1, scratch);
}

void mix(const LabelMix& mix, DenseMatrix& scores) {
  assert(scores.cols == mix.centre.size());
  parallel_ranges(scores.rows, rows_per_task, [&](std::size_t first, std::size_t last) {
    std::vector<float> scratch;
    mix_rows(mix, scores.values.data() + first * scores.cols, last - first, scratch);
  });
}

}  // namespace mmo
