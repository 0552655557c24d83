#include "deep/loss/losses.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "mmo/core/error.h"
#include "mmo/loss/logit_rows.h"
#include "mmo/loss/surrogate.h"

namespace mmo::deep {
namespace {

struct Name {
  LossKind kind;
  const char* text;
};
constexpr std::array<Name, 4> names{{{LossKind::bce, "bce"},
                                     {LossKind::sigmoid_f1, "sigmoid-f1"},
                                     {LossKind::asl, "asl"},
                                     {LossKind::mmo, "mmo"}}};

// The surrogates without a float32 form: κ·joint + (1 − κ)·independent, which surrogate_joint computes in one
// go at τ = 0.
double in_double(const LossSettings& settings, const ScoredBatch& batch, std::span<const LabelCost> costs,
                 std::span<float> gradient) {
  const std::vector<double> logits(batch.logits.begin(), batch.logits.end());
  const std::vector<double> targets(batch.targets.begin(), batch.targets.end());
  const auto known = std::count_if(targets.begin(), targets.end(), [](double y) { return !std::isnan(y); });
  const double per_cell = known > 0 ? 1.0 / static_cast<double>(known) : 0.0;
  std::fill(gradient.begin(), gradient.end(), 0.0F);
  double value = 0;
  for (const bool joint : {false, true}) {
    const double scale = per_cell * (joint ? settings.kappa : 1 - settings.kappa);
    if (scale == 0) continue;
    std::vector<double> slopes(logits.size());
    const std::vector<double> rows = surrogate_of_logits(
        {logits.size() / batch.labels, batch.labels, logits, targets}, costs, {settings.tau, joint}, slopes);
    std::transform(slopes.begin(), slopes.end(), gradient.begin(), gradient.begin(),
                   [scale](double slope, float sum) { return sum + static_cast<float>(slope * scale); });
    value += scale * std::accumulate(rows.begin(), rows.end(), 0.0);
  }
  return value;
}

double surrogate(const LossSettings& settings, const ScoredBatch& batch, std::span<const LabelCost> costs,
                 std::span<float> gradient) {
  if (settings.kappa == 0 && is_fast_tau(settings.tau))
    return batch_independent(core_batch(batch), costs, settings.tau, Reduction::mean, gradient);
  if (settings.tau == 0)
    return batch_surrogate(core_batch(batch), costs, settings.kappa, Reduction::mean, gradient);
  return in_double(settings, batch, costs, gradient);
}

// The baselines' losses, which have no notion of unknown cells; asl is a sum, of which we take the mean.
double baseline(const LossSettings& settings, const ScoredBatch& batch, std::span<float> gradient) {
  const std::vector<double> logits(batch.logits.begin(), batch.logits.end());
  std::vector<std::uint8_t> present(batch.targets.size());
  std::transform(batch.targets.begin(), batch.targets.end(), present.begin(),
                 [](float y) { return static_cast<std::uint8_t>(y > 0.5F); });
  std::vector<double> slopes(logits.size());
  const bool mean = settings.kind == LossKind::asl;
  const double scale = mean ? 1.0 / static_cast<double>(logits.size()) : 1.0;
  const double value = mean ? asl(logits, present, settings.asl, slopes)
                            : sigmoid_f1(batch.labels, logits, present, settings.sigmoid_f1, slopes);
  std::transform(slopes.begin(), slopes.end(), gradient.begin(),
                 [scale](double slope) { return static_cast<float>(slope * scale); });
  return value * scale;
}

}  // namespace

ScoreBatch core_batch(const ScoredBatch& batch) {
  ScoreBatch out;
  out.rows = batch.logits.size() / batch.labels;
  out.labels_count = batch.labels;
  out.scores = batch.logits;
  out.targets = batch.targets;
  out.logits = true;
  return out;
}

LossKind parse_loss(const std::string& name) {
  const auto* found = std::find_if(names.begin(), names.end(), [&](const Name& n) { return name == n.text; });
  if (found == names.end())
    throw UsageError(fmt::format("unknown loss '{}'; known: bce, sigmoid-f1, asl, mmo", name));
  return found->kind;
}

std::string loss_name(LossKind kind) {
  return std::find_if(names.begin(), names.end(), [&](const Name& n) { return n.kind == kind; })->text;
}

double batch_loss(const LossSettings& settings, const ScoredBatch& batch, std::span<const LabelCost> costs,
                  std::span<float> gradient) {
  switch (settings.kind) {
    case LossKind::bce:
      return surrogate({}, batch, std::vector<LabelCost>(batch.labels), gradient);  // costs of 1
    case LossKind::mmo:
      return surrogate(settings, batch, costs, gradient);
    default:
      return baseline(settings, batch, gradient);
  }
}

void require_usable(const LossSettings& settings, std::size_t labels, bool any_unknown) {
  const bool baseline_loss = settings.kind == LossKind::asl || settings.kind == LossKind::sigmoid_f1;
  if (baseline_loss && any_unknown)
    throw UsageError(
        fmt::format("the loss {} can't leave out unknown labels; use bce or mmo", loss_name(settings.kind)));
  if (settings.kind == LossKind::mmo && settings.tau > 0 && settings.kappa > 0) {
    std::vector<double> slopes(labels);  // the core refuses beyond its limit
    surrogate_joint_tau(slopes, std::vector<CellCost>(labels), settings.tau, slopes);
  }
}

}  // namespace mmo::deep
