// What is maximised: a ratio of linear combinations of TP, FP, FN, TN, averaged in one of four ways
// (paper, Section 3.1, eq:target-empirical).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace mmo {

// A linear combination of the four counts. The paper's four-vector μ multiplies (ŷy, y, ŷ, 1) instead;
// the two forms are one linear map apart (to_paper_form, from_paper_form).
struct CountWeights {
  double tp = 0, fp = 0, fn = 0, tn = 0;
  friend bool operator==(const CountWeights&, const CountWeights&) = default;
};

// (a·TP + b·FP + c·FN + d·TN) ↔ ¼·(a−b−c+d, a−b+c−d, a+b−c−d, a+b+c+d).
[[nodiscard]] std::array<double, 4> to_paper_form(const CountWeights& w);
[[nodiscard]] CountWeights from_paper_form(const std::array<double, 4>& mu);

struct Counts {
  double tp = 0, fp = 0, fn = 0, tn = 0;  // weighted by row weights, hence real
  Counts& operator+=(const Counts& other);
};

[[nodiscard]] inline double combine(const CountWeights& w, const Counts& c) {
  return w.tp * c.tp + w.fp * c.fp + w.fn * c.fn + w.tn * c.tn;
}

// numerator / denominator: ℓ_α and ℓ_β of one label.
struct CountRatio {
  CountWeights numerator, denominator;
  friend bool operator==(const CountRatio&, const CountRatio&) = default;
};

enum class Average {
  micro,     // ratio of sums over rows and labels
  macro,     // mean over labels of each label's ratio
  samples,   // mean over rows of each row's ratio ("instance" in the paper)
  weighted,  // mean over labels, weighted by the label's positives (scikit-learn's "weighted")
};

struct Metric {
  std::string name;  // canonical, e.g. "micro-f1", or the text the user gave for a custom ratio
  Average average = Average::micro;
  std::vector<CountRatio> ratios;  // one for all labels, or one per label (the paper's full ℝ^{4l})
  double zero_division = 0.0;      // value of 0/0: 0, 1 or NaN (= leave that label or row out)

  [[nodiscard]] const CountRatio& ratio(std::size_t label) const {
    return ratios.size() == 1 ? ratios[0] : ratios[label];
  }
};

// Whether every label has its own value, hence its own λ: macro and weighted.
[[nodiscard]] inline bool by_label(const Metric& metric) {
  return metric.average == Average::macro || metric.average == Average::weighted;
}

// "micro-f1", "f2" (= micro-f2), "macro-jaccard", "samples-f0.5", "instance-f1", "f1_micro",
// "hamming-accuracy", "macro:(3*TP)/(3*TP+FP+2*FN)", or the path of a JSON file (metric_file.h).
// Throws UsageError: unknown names list the candidates; a denominator that changes sign is refused with
// the reason; an everywhere negative one is negated together with the numerator (paper, Section 3.2).
[[nodiscard]] Metric parse_metric(const std::string& text, double zero_division = 0.0);

// Names that parse_metric knows, for --help, completion and error messages.
[[nodiscard]] std::vector<std::string> known_metrics();

// Throws UsageError unless the metric has one ratio for all labels or exactly one for each of `labels`.
void require_labels(const Metric& metric, std::size_t labels);

[[nodiscard]] std::string average_name(Average average);
// "2·TP / (2·TP + FP + FN)"
[[nodiscard]] std::string formula(const CountRatio& ratio);
// numerator / denominator; zero_division where the denominator is 0.
[[nodiscard]] double ratio_value(const CountRatio& ratio, const Counts& counts, double zero_division);

// [λ_min, λ_max]: the values one ratio can take over all non-negative counts with a positive denominator.
// Infinite where the numerator counts something the denominator does not, e.g. (TP − FP) / (TP + FN); then
// the data bound it: the second form covers every prediction for this many positive and negative cells.
struct Range {
  double low = 0, high = 1;
};
[[nodiscard]] Range value_range(const CountRatio& ratio);
[[nodiscard]] Range value_range(const CountRatio& ratio, double positives, double negatives);

// What maximises the metric whatever the data, if such a prediction exists: "predict everything" (recall),
// "predict nothing" (specificity), "predict nothing but the surest label" (precision); empty otherwise.
// For the warning that names the trivial answer.
[[nodiscard]] std::string trivial_answer(const Metric& metric);

}  // namespace mmo
