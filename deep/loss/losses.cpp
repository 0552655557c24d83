#include "deep/loss/losses.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "mmo/core/error.h"
#include "mmo/loss/batch.h"
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

// At h = z / 2: the derivative by z is half the one by h. Costs of 1 make it binary cross-entropy.
double logistic(const ScoredBatch& batch, std::span<const LabelCost> costs, double kappa,
                std::span<float> gradient) {
  std::vector<float> scores(batch.logits.size());
  std::transform(batch.logits.begin(), batch.logits.end(), scores.begin(), [](float z) { return z / 2; });
  ScoreBatch rows;
  rows.rows = batch.logits.size() / batch.labels;
  rows.labels_count = batch.labels;
  rows.scores = scores;
  rows.targets = batch.targets;
  const double value = batch_surrogate(rows, costs, kappa, Reduction::mean, gradient);
  for (float& slope : gradient) slope /= 2;
  return value;
}

// The surrogate at τ > 0, row by row.
double heavy_tailed(const LossSettings& settings, const ScoredBatch& batch, std::span<const LabelCost> costs,
                    std::span<float> gradient) {
  std::vector<double> scores(batch.labels);
  std::vector<double> slopes(batch.labels);
  std::vector<CellCost> cells(batch.labels);
  double sum = 0;
  std::size_t known = 0;
  for (std::size_t at = 0; at < batch.logits.size(); at += batch.labels) {
    for (std::size_t j = 0; j < batch.labels; ++j) {
      const float target = batch.targets[at + j];
      scores[j] = batch.logits[at + j] / 2;
      cells[j] = std::isnan(target) ? CellCost{} : tight_cell(costs[j], target > 0.5F);
      known += std::isnan(target) ? 0 : 1;
    }
    sum += settings.kappa == 0 ? surrogate_independent(scores, cells, settings.tau, slopes)
                               : surrogate_joint_tau(scores, cells, settings.tau, slopes);
    std::transform(slopes.begin(), slopes.end(), gradient.begin() + static_cast<std::ptrdiff_t>(at),
                   [](double slope) { return static_cast<float>(slope / 2); });
  }
  const double scale = known > 0 ? 1.0 / static_cast<double>(known) : 0.0;
  for (float& slope : gradient) slope = static_cast<float>(slope * scale);
  return sum * scale;
}

// The baselines' losses, which know no unknown cells; asl is a sum, of which we take the mean.
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
      return logistic(batch, std::vector<LabelCost>(batch.labels), 0, gradient);
    case LossKind::mmo:
      return settings.tau == 0 ? logistic(batch, costs, settings.kappa, gradient)
                               : heavy_tailed(settings, batch, costs, gradient);
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
    std::vector<double> slopes(labels);  // asks the core, which refuses beyond its limit
    surrogate_joint_tau(slopes, std::vector<CellCost>(labels), settings.tau, slopes);
  }
}

}  // namespace mmo::deep
