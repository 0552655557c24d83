// sigmoidF1 (Bénédict et al., "sigmoidF1: A Smooth F1 Score Surrogate Loss for Multilabel Classification",
// TMLR 2022): F1 of a batch with soft counts. With S(u) = σ(β·(u + η)):
//   TP = Σ S·y, FP = Σ S·(1 − y), FN = Σ (1 − S)·y,  loss = 1 − 2·TP / (2·TP + FP + FN + ε),
// the sums over rows of one label and the mean of the losses (macro), or over all cells (micro).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mmo {

struct SigmoidF1Parameters {
  double beta = 1;  // steepness
  double eta = 0;   // offset
  bool micro = false;
};

// `scores` and `present` hold rows × labels, row-major; so does the gradient, if wanted.
double sigmoid_f1(std::size_t labels, std::span<const double> scores, std::span<const std::uint8_t> present,
                  const SigmoidF1Parameters& parameters, std::span<double> gradient = {});

}  // namespace mmo
