#include "mmo/loss/bce.h"

#include <cassert>

#include "mmo/loss/softplus.h"

namespace mmo {

double bce(std::span<const double> logits, std::span<const std::uint8_t> present, std::span<double> gradient,
           std::span<double> curvature) {
  assert(logits.size() == present.size());
  double value = 0;
  for (std::size_t j = 0; j < logits.size(); ++j) {
    const double z = logits[j];
    value += softplus(present[j] != 0 ? -z : z);
    if (!gradient.empty()) gradient[j] = present[j] != 0 ? -sigmoid(-z) : sigmoid(z);
    if (!curvature.empty()) curvature[j] = sigmoid(z) * sigmoid(-z);
  }
  return value;
}

}  // namespace mmo
