#include "mmo/stack/label_mix.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "mmo/core/parallel.h"
#include "mmo/core/product.h"

namespace mmo {
namespace {

constexpr std::size_t rows_per_task = 64;

// z ← a·z + Vᵀ(σ(z) − centre) + c for `rows` rows that follow each other.
void mix_rows(const LabelMix& mix, float* scores, std::size_t rows, std::vector<float>& centred) {
  const std::size_t labels = mix.centre.size();
  centred.resize(rows * labels);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < labels; ++j) {
      float& z = scores[i * labels + j];
      centred[i * labels + j] = 1.0F / (1.0F + std::exp(-z)) - mix.centre[j];
      z = mix.scale * z + mix.shift;
    }
  }
  add_product(centred.data(), rows, mix.weights, scores);
}

}  // namespace

void mix_row(const LabelMix& mix, std::span<float> scores, std::vector<float>& scratch) {
  assert(scores.size() == mix.centre.size());
  mix_rows(mix, scores.data(), 1, scratch);
}

void mix(const LabelMix& mix, DenseMatrix& scores) {
  assert(scores.cols == mix.centre.size());
  parallel_for((scores.rows + rows_per_task - 1) / rows_per_task, [&](std::size_t task) {
    throw_if_cancelled();
    const std::size_t first = task * rows_per_task;
    const std::size_t rows = std::min(rows_per_task, scores.rows - first);
    std::vector<float> scratch;
    mix_rows(mix, scores.values.data() + first * scores.cols, rows, scratch);
  });
}

}  // namespace mmo
