#include "mmo/loss/sigmoid_f1.h"

#include <cassert>
#include <vector>

#include "mmo/loss/softplus.h"

namespace mmo {
namespace {

constexpr double epsilon = 1e-16;  // the authors': keeps 0/0 at 0

struct SoftCounts {
  double true_positive = 0;
  double denominator = epsilon;  // 2·TP + FP + FN = Σ S + Σ y
};

}  // namespace

double sigmoid_f1(std::size_t labels, std::span<const double> scores, std::span<const std::uint8_t> present,
                  const SigmoidF1Parameters& parameters, std::span<double> gradient) {
  assert(scores.size() == present.size() && labels > 0 && scores.size() % labels == 0);
  const std::size_t groups = parameters.micro ? 1 : labels;
  const auto group_of = [&](std::size_t cell) { return parameters.micro ? 0 : cell % labels; };
  const auto argument = [&](std::size_t cell) { return parameters.beta * (scores[cell] + parameters.eta); };

  std::vector<SoftCounts> counts(groups);
  for (std::size_t cell = 0; cell < scores.size(); ++cell) {
    const double s = sigmoid(argument(cell));
    const double y = present[cell] != 0 ? 1 : 0;
    SoftCounts& c = counts[group_of(cell)];
    c.true_positive += s * y;
    c.denominator += s + y;
  }
  double value = 0;
  for (const SoftCounts& c : counts) value += 1 - 2 * c.true_positive / c.denominator;

  for (std::size_t cell = 0; cell < gradient.size(); ++cell) {
    // d(1 − 2TP/D)/dS = (2TP/D − 2y)/D;  dS/du = β·σ·(1 − σ)
    const SoftCounts& c = counts[group_of(cell)];
    const double y = present[cell] != 0 ? 1 : 0;
    const double outer = (2 * c.true_positive / c.denominator - 2 * y) / c.denominator;
    const double x = argument(cell);
    gradient[cell] = outer * parameters.beta * sigmoid(x) * sigmoid(-x) / static_cast<double>(groups);
  }
  return value / static_cast<double>(groups);
}

}  // namespace mmo
