#include "mmo/metric/ratio_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mmo/core/error.h"

namespace mmo {
namespace {

constexpr std::array<double CountWeights::*, 4> kinds = {&CountWeights::tp, &CountWeights::fp,
                                                         &CountWeights::fn, &CountWeights::tn};
constexpr std::array<const char*, 4> kind_names = {"TP", "FP", "FN", "TN"};

void drop_rounding(CountWeights& w) {
  // Coefficients in the paper's form become counts through sums that may leave 1e-17 where 0 is meant.
  constexpr double relative = 1e-12;
  double largest = 0;
  for (const auto kind : kinds) largest = std::max(largest, std::fabs(w.*kind));
  for (const auto kind : kinds) {
    if (std::fabs(w.*kind) < relative * largest) w.*kind = 0;
  }
}

void negate(CountRatio& ratio) {
  for (const auto kind : kinds) {
    ratio.numerator.*kind = 0 - ratio.numerator.*kind;  // 0 − x: no negative zeros
    ratio.denominator.*kind = 0 - ratio.denominator.*kind;
  }
}

// One coefficient of one label's denominator.
struct Term {
  std::size_t label = 0;
  std::size_t kind = 0;
};

struct Signs {
  bool positive = false, negative = false;
  Term positive_term, negative_term;

  void add(const CountRatio& ratio, std::size_t label) {
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const double weight = ratio.denominator.*kinds[k];
      if (weight > 0 && !positive) positive_term = {label, k};
      if (weight < 0 && !negative) negative_term = {label, k};
      positive |= weight > 0;
      negative |= weight < 0;
    }
  }
};

std::string term_name(const Term& term, std::size_t ratios) {
  return ratios == 1 ? std::string(kind_names[term.kind])
                     : fmt::format("{} of label {}", kind_names[term.kind], term.label);
}

// Refuses mixed signs and zero; true when everything must be negated.
bool must_negate(const Signs& signs, const Metric& metric, const std::string& source,
                 const std::string& which) {
  if (signs.positive && signs.negative) {
    throw UsageError(
        fmt::format("metric {}: the denominator{} is positive for some predictions and negative for others "
                    "(it adds {} and "
                    "subtracts {}), so the ratio has no meaningful maximum; write a denominator of one sign",
                    source, which, term_name(signs.positive_term, metric.ratios.size()),
                    term_name(signs.negative_term, metric.ratios.size())));
  }
  if (!signs.positive && !signs.negative) {
    throw UsageError(fmt::format("metric {}: the denominator{} is 0 for every prediction", source, which));
  }
  return signs.negative;
}

// Can predictions alone make the denominator 0 but not the numerator? Then some prediction makes the value
// infinite whatever the data. Cells of each class choose between two kinds.
void refuse_infinite(const CountRatio& ratio, const std::string& source, const std::string& which) {
  const CountWeights& n = ratio.numerator;
  const CountWeights& d = ratio.denominator;
  const bool reaches_zero = std::min(d.tp, d.fn) == 0 && std::min(d.fp, d.tn) == 0;
  if (!reaches_zero) return;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (d.*kinds[k] != 0 || n.*kinds[k] == 0) continue;
    throw UsageError(
        fmt::format("metric {}: the value{} is infinite when only {} and other cells the denominator does "
                    "not count occur; "
                    "add {} to the denominator",
                    source, which, kind_names[k], kind_names[k]));
  }
}

// Numerator and denominator count positives and negatives, not predictions.
bool ignores_predictions(const CountRatio& ratio) {
  const CountWeights& n = ratio.numerator;
  const CountWeights& d = ratio.denominator;
  return n.tp == n.fn && n.fp == n.tn && d.tp == d.fn && d.fp == d.tn;
}

// numerator = c · denominator: all 2 × 2 minors vanish.
bool is_constant(const CountRatio& ratio) {
  bool proportional = true;
  for (const auto i : kinds) {
    for (const auto j : kinds) {
      proportional &= ratio.numerator.*i * ratio.denominator.*j == ratio.numerator.*j * ratio.denominator.*i;
    }
  }
  return proportional;
}

}  // namespace

void refuse_extreme_coefficients(const Metric& metric, const std::string& source) {
  // Counts are sums of weights up to 3e38 and spreads square them, all in doubles up to 1e308.
  constexpr double largest = 1e30;
  constexpr double smallest = 1 / largest;
  for (std::size_t j = 0; j < metric.ratios.size(); ++j) {
    for (const CountWeights* part : {&metric.ratios[j].numerator, &metric.ratios[j].denominator}) {
      for (std::size_t k = 0; k < kinds.size(); ++k) {
        const double size = std::fabs(part->*kinds[k]);
        if (size == 0 || (size >= smallest && size <= largest)) continue;
        throw UsageError(
            fmt::format("metric {}: the coefficient {:g} of {} is out of range; only the proportions of "
                        "coefficients matter, so scale them all to lie between {:g} and {:g}",
                        source, part->*kinds[k], term_name({j, k}, metric.ratios.size()), smallest, largest));
      }
    }
  }
}

void check_ratios(Metric& metric, const std::string& source) {
  for (CountRatio& ratio : metric.ratios) {
    drop_rounding(ratio.numerator);
    drop_rounding(ratio.denominator);
  }
  refuse_extreme_coefficients(metric, source);
  const bool labels_add_up = metric.average == Average::micro || metric.average == Average::samples;
  const auto which = [&](std::size_t label) {
    return metric.ratios.size() == 1 ? std::string() : fmt::format(" of label {}", label);
  };
  if (labels_add_up) {
    Signs signs;
    for (std::size_t j = 0; j < metric.ratios.size(); ++j) signs.add(metric.ratios[j], j);
    if (must_negate(signs, metric, source, ""))
      std::for_each(metric.ratios.begin(), metric.ratios.end(), negate);
  } else {
    for (std::size_t j = 0; j < metric.ratios.size(); ++j) {
      Signs signs;
      signs.add(metric.ratios[j], j);
      if (must_negate(signs, metric, source, which(j))) negate(metric.ratios[j]);
    }
  }
  // When the denominators of several labels add up, one label's zero says nothing about the sum.
  const bool each_label_alone = metric.ratios.size() == 1 || !labels_add_up;
  bool matters = false;
  for (std::size_t j = 0; j < metric.ratios.size(); ++j) {
    const CountRatio& ratio = metric.ratios[j];
    if (each_label_alone) refuse_infinite(ratio, source, which(j));
    matters |= !ignores_predictions(ratio) && !(each_label_alone && is_constant(ratio));
  }
  if (!matters)
    throw UsageError(fmt::format("metric {}: its value is the same whatever is predicted", source));
}

}  // namespace mmo
