#include "mmo/loss/asl.h"

#include <cassert>
#include <cmath>

#include "mmo/loss/softplus.h"

namespace mmo {
namespace {

struct Term {
  double value = 0, slope = 0;
};

// q^γ·softplus(−z), q = 1 − p;  slope −q^γ·(γ·p·softplus(−z) + q)
Term positive(double z, double gamma) {
  const double power = std::exp(-gamma * softplus(z));
  const double loss = softplus(-z);
  return {.value = power * loss, .slope = -power * (gamma * sigmoid(z) * loss + sigmoid(-z))};
}

// −p_m^γ·log(1 − p_m);  slope p·q·p_m^γ·(γ·(−log(1 − p_m))/p_m + 1/(1 − p_m)), 0 below the margin
Term negative(double z, double gamma, double margin) {
  const double p = sigmoid(z);
  const double q = sigmoid(-z);
  const double shifted = p - margin;
  if (shifted <= 0) return {};
  const double power = std::pow(shifted, gamma);
  if (margin == 0) {  // q / (1 − p_m) = 1, and log(1 − p) without cancellation
    return {.value = power * softplus(z), .slope = power * (gamma * q * softplus(z) + p)};
  }
  const double rest = q + margin;  // 1 − p_m
  const double loss = -std::log1p(-shifted);
  return {.value = power * loss, .slope = p * q * power * (gamma * loss / shifted + 1 / rest)};
}

}  // namespace

double asl(std::span<const double> logits, std::span<const std::uint8_t> present,
           const AslParameters& parameters, std::span<double> gradient) {
  assert(logits.size() == present.size());
  double value = 0;
  for (std::size_t j = 0; j < logits.size(); ++j) {
    const Term term = present[j] != 0 ? positive(logits[j], parameters.gamma_positive)
                                      : negative(logits[j], parameters.gamma_negative, parameters.margin);
    value += term.value;
    if (!gradient.empty()) gradient[j] = term.slope;
  }
  return value;
}

}  // namespace mmo
