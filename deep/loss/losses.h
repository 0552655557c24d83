// The losses of a batch of scores, with their gradients: the core's own (mmo/loss), fed with a network's
// outputs. The network then trains by passing the gradient of its scores to its backward pass, so every
// formula exists only once.
#pragma once

#include <span>
#include <string>

#include "mmo/cost/cost.h"
#include "mmo/loss/asl.h"
#include "mmo/loss/batch.h"
#include "mmo/loss/sigmoid_f1.h"

namespace mmo::deep {

enum class LossKind { bce, sigmoid_f1, asl, mmo };

struct LossSettings {
  LossKind kind = LossKind::mmo;
  double tau = 0;    // mmo: 0 logistic … 1 mean absolute error
  double kappa = 0;  // mmo: 0 independent, 1 the paper's joint coupling, between them a mixture
  AslParameters asl;
  SigmoidF1Parameters sigmoid_f1;
};

[[nodiscard]] LossKind parse_loss(const std::string& name);  // bce, sigmoid-f1, asl, mmo
[[nodiscard]] std::string loss_name(LossKind kind);

struct ScoredBatch {
  std::size_t labels = 0;
  std::span<const float> logits;   // rows × labels; σ(z) is the probability, the paper's h is z / 2
  std::span<const float> targets;  // 1, 0, or NaN = unknown (bce and mmo only)
};

[[nodiscard]] ScoreBatch core_batch(const ScoredBatch& batch);

// The mean over known cells (sigmoid-f1: its own mean), and its gradient by the logits. Only mmo uses
// `costs`.
double batch_loss(const LossSettings& settings, const ScoredBatch& batch, std::span<const LabelCost> costs,
                  std::span<float> gradient);

// Throws UsageError if this loss can't be trained on such labels.
void require_usable(const LossSettings& settings, std::size_t labels, bool any_unknown);

}  // namespace mmo::deep
