// The paper's definitions with their sums over all 2^l label sets, for few labels.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/cost/cost.h"

namespace mmo {

using LabelSet = std::vector<int>;  // −1 or +1 per label

inline std::vector<LabelSet> all_label_sets(std::size_t labels) {
  std::vector<LabelSet> sets;
  for (std::size_t bits = 0; bits < (std::size_t{1} << labels); ++bits) {
    LabelSet set(labels);
    for (std::size_t j = 0; j < labels; ++j) set[j] = ((bits >> j) & 1U) != 0 ? 1 : -1;
    sets.push_back(set);
  }
  return sets;
}

inline std::vector<std::uint8_t> as_present(const LabelSet& y) {
  std::vector<std::uint8_t> present(y.size());
  for (std::size_t j = 0; j < y.size(); ++j) present[j] = y[j] > 0 ? 1 : 0;
  return present;
}

// L̄(y′, y): the cost of predicting y′ when y is true, shifted per label and truth so that the cheaper of the
// two predictions costs 0 (a negative cost makes the wrong prediction the cheap one).
inline double target_cost(const LabelSet& predicted, const LabelSet& y, const std::vector<LabelCost>& costs) {
  double sum = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    const double extra =
        y[j] > 0 ? costs[j].false_negative : costs[j].false_positive;  // of the wrong over the right
    const bool right = predicted[j] == y[j];
    if (extra > 0 && !right) sum += extra;
    if (extra < 0 && right) sum -= extra;
  }
  return sum;
}

// L_sum = Σ_{y,y′} L̄(y′, y)
inline double target_cost_sum(const std::vector<LabelCost>& costs) {
  double sum = 0;
  const auto sets = all_label_sets(costs.size());
  for (const LabelSet& y : sets) {
    for (const LabelSet& predicted : sets) sum += target_cost(predicted, y, costs);
  }
  return sum;
}

// Φ_τ with erratum 2.
inline double phi_tau(double u, double tau) { return tau == 0 ? std::log(u) : (1 - std::pow(u, -tau)) / tau; }

// u(y′) = Σ_{y″} exp(Σ_i (y″_i − y′_i)·h_i)
inline double inner_sum(const LabelSet& predicted, const std::vector<double>& h,
                        const std::vector<LabelSet>& sets) {
  double sum = 0;
  for (const LabelSet& other : sets) {
    double exponent = 0;
    for (std::size_t i = 0; i < h.size(); ++i) exponent += (other[i] - predicted[i]) * h[i];
    sum += std::exp(exponent);
  }
  return sum;
}

// eq:sur: Σ_{y′} [total − L̄(y′, y)]·Φ_τ(u(y′)). The paper's total is L_sum; the tight shift's is Σ_j of the
// larger cost of label j given y, i.e. the dearest prediction.
inline double surrogate_by_enumeration(const std::vector<double>& h, const LabelSet& y,
                                       const std::vector<LabelCost>& costs, double tau, double total) {
  const auto sets = all_label_sets(h.size());
  double value = 0;
  for (const LabelSet& predicted : sets) {
    value += (total - target_cost(predicted, y, costs)) * phi_tau(inner_sum(predicted, h, sets), tau);
  }
  return value;
}

// max_{y′} L̄(y′, y)
inline double dearest_cost(const LabelSet& y, const std::vector<LabelCost>& costs) {
  double sum = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    sum += std::fabs(y[j] > 0 ? costs[j].false_negative : costs[j].false_positive);
  }
  return sum;
}

// Random probabilities of all label sets; some seeds give nearly deterministic ones.
inline std::vector<double> random_distribution(Random& random, std::size_t size) {
  const double sharpness = 1 + 4 * random.uniform();
  std::vector<double> p(size);
  double sum = 0;
  for (double& value : p) sum += value = std::pow(random.uniform(), sharpness);
  for (double& value : p) value /= sum;
  return p;
}

inline std::vector<LabelCost> random_costs(Random& random, std::size_t labels, double smallest) {
  std::vector<LabelCost> costs(labels);
  for (LabelCost& c : costs) {
    c = {.false_negative = smallest + (2 - smallest) * random.uniform(),
         .false_positive = smallest + (2 - smallest) * random.uniform()};
  }
  return costs;
}

inline std::vector<double> random_scores(Random& random, std::size_t labels, double scale) {
  std::vector<double> h(labels);
  for (double& value : h) value = scale * random.normal();
  return h;
}

inline LabelSet random_label_set(Random& random, std::size_t labels) {
  LabelSet y(labels);
  for (int& value : y) value = random.uniform() < 0.5 ? -1 : 1;
  return y;
}

}  // namespace mmo
