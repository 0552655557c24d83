#include "mmo/metric/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mmo/core/error.h"

namespace mmo {
namespace {

std::array<double, 4> as_array(const CountWeights& w) { return {w.tp, w.fp, w.fn, w.tn}; }

// "2·TP + FP − 0.5·FN"
std::string linear_form(const CountWeights& w) {
  static constexpr std::array<const char*, 4> names = {"TP", "FP", "FN", "TN"};
  const auto weights = as_array(w);
  std::string text;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double weight = weights[k];
    if (weight == 0) continue;
    if (text.empty()) {
      text += weight < 0 ? "−" : "";
    } else {
      text += weight < 0 ? " − " : " + ";
    }
    if (std::fabs(weight) != 1) text += fmt::format("{}·", std::fabs(weight));
    text += names[k];
  }
  return text.empty() ? "0" : text;
}

std::string in_parentheses(const std::string& form) {
  return form.find(' ') == std::string::npos ? form : "(" + form + ")";
}

// How ℓ^λ = λβ − α separates the two predictions of a positive (first) and a negative (second) cell.
struct Preference {
  double predict_positive;  // cost of a false negative over a true positive
  double leave_negative;    // cost of a false positive over a true negative
};

Preference preference(const CountRatio& r, double lambda) {
  const CountWeights& n = r.numerator;
  const CountWeights& d = r.denominator;
  return {lambda * (d.fn - d.tp) - (n.fn - n.tp), lambda * (d.fp - d.tn) - (n.fp - n.tn)};
}

std::string trivial_answer_of(const CountRatio& ratio) {
  // An infinite end only stands for the sign of the slope there.
  constexpr double far = 1e9;
  const Range range = value_range(ratio);
  const Preference at_low = preference(ratio, std::max(range.low, -far));
  const Preference at_high = preference(ratio, std::min(range.high, far));
  // Costs are linear in λ: what holds at both ends of the range holds for every λ* inside.
  if (at_low.predict_positive >= 0 && at_high.predict_positive >= 0 && at_low.leave_negative <= 0 &&
      at_high.leave_negative <= 0) {
    return "predict everything";
  }
  if (at_low.predict_positive <= 0 && at_high.predict_positive <= 0 && at_low.leave_negative >= 0 &&
      at_high.leave_negative >= 0) {
    return "predict nothing";
  }
  // The best value is reached as soon as every prediction made is right; missing the rest costs nothing.
  if (at_high.predict_positive <= 0 && at_high.leave_negative > 0)
    return "predict nothing but the surest label";
  return {};
}

}  // namespace

// (a·TP + b·FP + c·FN + d·TN) → ¼·(a−b−c+d, a−b+c−d, a+b−c−d, a+b+c+d)
std::array<double, 4> to_paper_form(const CountWeights& w) {
  return {(w.tp - w.fp - w.fn + w.tn) / 4, (w.tp - w.fp + w.fn - w.tn) / 4, (w.tp + w.fp - w.fn - w.tn) / 4,
          (w.tp + w.fp + w.fn + w.tn) / 4};
}

// μ¹ŷy + μ²y + μ³ŷ + μ⁴ at (ŷ, y) = (+,+), (+,−), (−,+), (−,−)
CountWeights from_paper_form(const std::array<double, 4>& mu) {
  return {.tp = mu[0] + mu[1] + mu[2] + mu[3],
          .fp = -mu[0] - mu[1] + mu[2] + mu[3],
          .fn = -mu[0] + mu[1] - mu[2] + mu[3],
          .tn = mu[0] - mu[1] - mu[2] + mu[3]};
}

Counts& Counts::operator+=(const Counts& other) {
  tp += other.tp;
  fp += other.fp;
  fn += other.fn;
  tn += other.tn;
  return *this;
}

void require_labels(const Metric& metric, std::size_t labels) {
  if (metric.ratios.size() == 1 || metric.ratios.size() == labels) return;
  throw UsageError(fmt::format(
      "metric {} has coefficients for {} labels but the data have {}; give one row per label, or one for all",
      metric.name, metric.ratios.size(), labels));
}

std::string average_name(Average average) {
  switch (average) {
    case Average::micro:
      return "micro";
    case Average::macro:
      return "macro";
    case Average::samples:
      return "samples";
    case Average::weighted:
      return "weighted";
  }
  return {};
}

std::string formula(const CountRatio& ratio) {
  return in_parentheses(linear_form(ratio.numerator)) + " / " +
         in_parentheses(linear_form(ratio.denominator));
}

double ratio_value(const CountRatio& ratio, const Counts& counts, double zero_division) {
  const double denominator = combine(ratio.denominator, counts);
  return denominator == 0 ? zero_division : combine(ratio.numerator, counts) / denominator;
}

// A ratio of linear forms over the cone of non-negative counts: its extremes are at the generators (all cells
// of one kind).
Range value_range(const CountRatio& ratio) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto numerator = as_array(ratio.numerator);
  const auto denominator = as_array(ratio.denominator);
  Range range{.low = infinity, .high = -infinity};
  for (std::size_t k = 0; k < 4; ++k) {
    if (denominator[k] == 0 && numerator[k] == 0) continue;
    const double value =
        denominator[k] == 0 ? std::copysign(infinity, numerator[k]) : numerator[k] / denominator[k];
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  return range;
}

// Over 0 ≤ TP ≤ positives, 0 ≤ FP ≤ negatives a linear-fractional function has its extremes at the corners;
// a corner whose denominator is 0 is the limit of the edges that meet there, so it adds nothing.
Range value_range(const CountRatio& ratio, double positives, double negatives) {
  Range range{.low = std::numeric_limits<double>::infinity(),
              .high = -std::numeric_limits<double>::infinity()};
  for (const double tp : {0.0, positives}) {
    for (const double fp : {0.0, negatives}) {
      const Counts corner{.tp = tp, .fp = fp, .fn = positives - tp, .tn = negatives - fp};
      if (combine(ratio.denominator, corner) == 0) continue;
      const double value = ratio_value(ratio, corner, 0);
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  }
  return range.low <= range.high ? range : Range{.low = 0, .high = 0};
}

std::string trivial_answer(const Metric& metric) {
  std::string common = trivial_answer_of(metric.ratios.front());
  for (const CountRatio& ratio : metric.ratios) {
    if (trivial_answer_of(ratio) != common) return {};
  }
  return common;
}

}  // namespace mmo
