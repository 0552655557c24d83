#include "mmo/learn/kernel/kernel_scores.h"

#include <cmath>
#include <string>
#include <vector>

#include "mmo/core/error.h"
#include "mmo/core/product.h"
#include "mmo/learn/kernel/kernel_values.h"

namespace mmo {
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw ModelError("the model's kernel machine is damaged: " + what);
}

bool finite(const DenseMatrix& m) {
  for (const float value : m.values) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}

}  // namespace

void add_scores(const KernelScorer& scorer, const DenseMatrix& mapped, float* out) {
  const std::size_t labels = scorer.bias.size();
  const Landmarks landmarks(scorer.landmarks);
  DenseMatrix values(mapped.rows, scorer.weights.rows);
  kernel_values(mapped, 0, mapped.rows, landmarks, scorer.kernel, values.values.data());
  add_product(values, 0, values.rows, scorer.weights, out);
  for (std::size_t i = 0; i < mapped.rows; ++i) {
    for (std::size_t j = 0; j < labels; ++j) out[i * labels + j] += scorer.bias[j];
  }
}

void check(const KernelScorer& scorer) {
  require(scorer.landmarks.cols == scorer.weights.rows, "landmarks and weights differ in number");
  require(scorer.weights.cols == scorer.bias.size(), "its weights are for other labels");
  require(std::isfinite(scorer.kernel.decay) && scorer.kernel.decay >= 0, "the kernel's decay is below 0");
  require(finite(scorer.landmarks) && finite(scorer.weights), "a number is not finite");
  for (const float value : scorer.bias) require(std::isfinite(value), "a bias is not finite");
}

}  // namespace mmo
