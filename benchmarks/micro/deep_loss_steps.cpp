// What the loss of a training step costs beside the network: λ's counts, costs, loss and gradient, as
// deep/train/training.cpp calls them.
//   deep_loss_steps LOSS METRIC ROWS LABELS STEPS     prints nanoseconds of processor time per cell
// The instructions of one such program with two numbers of steps tell those of a step
// (benchmarks/deep_epoch.py).
#include <fmt/core.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "benchmarks/micro/measure.h"
#include "deep/loss/lambda.h"
#include "deep/loss/losses.h"
#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/metric/metric.h"

int main(int argc, char** argv) {
  using namespace mmo;        // NOLINT(google-build-using-namespace)
  using namespace mmo::deep;  // NOLINT(google-build-using-namespace)
  if (argc != 6) {
    fmt::print(stderr, "deep_loss_steps LOSS METRIC ROWS LABELS STEPS\n");
    return 2;
  }
  const Metric metric = parse_metric(argv[2]);
  const std::size_t rows = std::stoul(argv[3]);
  const std::size_t labels = std::stoul(argv[4]);
  const std::size_t steps = std::stoul(argv[5]);
  LossSettings settings;
  settings.kind = parse_loss(argv[1]);
  settings.tau = 0.5;
  set_threads(1);
  Random random(1);
  std::vector<float> logits(rows * labels), targets(rows * labels), gradient(rows * labels);
  for (float& z : logits) z = static_cast<float>(random.normal() - 2);
  for (float& y : targets) y = random.uniform() < 0.02 ? 1.0F : 0.0F;
  LambdaTracker lambda(metric, labels, default_lambda(by_label(metric)));
  const ScoredBatch batch{labels, logits, targets};
  const bench::ProcessorClock clock;
  double sum = 0;
  for (std::size_t k = 0; k < steps; ++k) {
    if (settings.kind == LossKind::mmo) lambda.update(batch);
    sum += batch_loss(settings, batch, lambda.costs(), gradient);
  }
  fmt::print("{:.3f} ns per cell, loss {:.6f}\n",
             clock.seconds() * 1e9 / static_cast<double>(steps * rows * labels),
             sum / static_cast<double>(steps));
  return 0;
}
