// Asymmetric loss (Ridnik et al., "Asymmetric Loss for Multi-Label Classification", ICCV 2021) of logits z,
// p = σ(z), p_m = max(p − m, 0):
//   Σ_j  −(1 − p)^{γ₊}·log p        where the label is present,
//        −p_m^{γ₋}·log(1 − p_m)     where it is absent.
// The gradient is exact: the authors' code can treat the focusing powers as constants, ours does
// not.
#pragma once

#include <cstdint>
#include <span>

namespace mmo {

struct AslParameters {
  double gamma_positive = 1;  // γ₊; the authors' defaults
  double gamma_negative = 4;  // γ₋
  double margin = 0.05;       // m: negatives with p ≤ m cost nothing
};

double asl(std::span<const double> logits, std::span<const std::uint8_t> present,
           const AslParameters& parameters, std::span<double> gradient = {});

}  // namespace mmo
