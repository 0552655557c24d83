#include "mmo/rule/empirical_thresholds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mmo/core/parallel.h"
#include "mmo/eval/cells.h"
#include "mmo/rule/decision_rule.h"
#include "mmo/rule/label_scores.h"

namespace mmo {
namespace {

constexpr std::size_t rows_per_task = 1024;
constexpr std::size_t labels_per_task = 16;  // one cache line of a row of scores
constexpr float never = std::numeric_limits<float>::infinity();

// How many candidates are ≤ score, i.e. at how many thresholds (the first ones) the cell is predicted.
// A binary search without branches, which no processor could foretell.
std::size_t predicted_at(const std::vector<float>& candidates, float score) {
  const float* first = candidates.data();
  for (std::size_t left = candidates.size(); left > 1;) {
    const std::size_t half = left / 2;
    first += score < first[half - 1] ? 0 : half;
    left -= half;
  }
  return static_cast<std::size_t>(first - candidates.data()) + (score < *first ? 0 : 1);
}

// Calls use(label, is_positive, score) for every known cell of row i, labels first … last − 1.
template <class Use>
void for_each_cell(const DenseMatrix& scores, const Truth& truth, std::size_t i, std::size_t first,
                   std::size_t last, const Use& use) {
  const auto positives = truth.labels->row(i);
  auto next_positive = std::lower_bound(positives.begin(), positives.end(), first);
  const auto unknown = unknown_row(truth, i);
  auto next_unknown = std::lower_bound(unknown.begin(), unknown.end(), first);
  const auto row = scores.row(i);
  for (std::size_t j = first; j < last; ++j) {
    const bool is_positive = next_positive != positives.end() && *next_positive == j;
    if (is_positive) ++next_positive;
    if (next_unknown != unknown.end() && *next_unknown == j) {
      ++next_unknown;
      continue;
    }
    use(j, is_positive, row[j]);
  }
}

// The metric at every candidate, micro / macro / weighted: cells are tallied by label and predicted_at; by
// the latter alone where one ratio of their sums is all that is asked for.
std::vector<double> values_by_label(const Metric& metric, const DenseMatrix& scores, const Truth& truth,
                                    const std::vector<float>& candidates) {
  const bool pooled = metric.average == Average::micro && metric.ratios.size() == 1;
  const std::size_t bins = candidates.size() + 1;
  std::vector<std::vector<Counts>> parts(range_count(scores.cols, labels_per_task));  // candidate by label
  parallel_ranges(scores.cols, labels_per_task, [&](std::size_t first, std::size_t last) {
    struct Tally {
      double positive = 0, negative = 0;
    };
    const std::size_t count = pooled ? 1 : last - first;
    std::vector<Tally> tally(count * bins);
    for (std::size_t i = 0; i < scores.rows; ++i) {
      const double weight = row_weight(truth, i);
      for_each_cell(scores, truth, i, first, last, [&](std::size_t j, bool is_positive, float score) {
        const double own = pooled ? weight * label_weight(truth.label_weights, j) : weight;
        Tally& bin = tally[(pooled ? 0 : j - first) * bins + predicted_at(candidates, score)];
        (is_positive ? bin.positive : bin.negative) += own;
      });
    }
    std::vector<Counts>& part = parts[first / labels_per_task];
    part.resize(candidates.size() * count);
    for (std::size_t j = 0; j < count; ++j) {
      const Tally* bin = tally.data() + j * bins;
      Counts at;
      for (std::size_t b = 0; b < bins; ++b) {
        at.fn += bin[b].positive;
        at.tn += bin[b].negative;
      }
      for (std::size_t b = bins; b-- > 1;) {  // from the highest threshold down
        at.tp += bin[b].positive;
        at.fn -= bin[b].positive;
        at.fp += bin[b].negative;
        at.tn -= bin[b].negative;
        part[(b - 1) * count + j] = at;
      }
    }
  });
  std::vector<double> values(candidates.size());
  std::vector<Counts> counts;
  for (std::size_t t = 0; t < candidates.size(); ++t) {
    counts.clear();
    for (const std::vector<Counts>& part : parts) {
      const auto own =
          std::span(part).subspan(t * part.size() / candidates.size(), part.size() / candidates.size());
      counts.insert(counts.end(), own.begin(), own.end());
    }
    // Of pooled counts each task has one: the metric adds them up as it would add labels.
    values[t] = evaluate_counts(metric, counts, pooled ? std::span<const float>{} : truth.label_weights);
  }
  return values;
}

// The same for the samples average: every row's own ratio at every candidate.
std::vector<double> values_by_row(const Metric& metric, const DenseMatrix& scores, const Truth& truth,
                                  const std::vector<float>& candidates) {
  const std::size_t bins = candidates.size() + 1;
  struct Mean {
    double sum = 0, mass = 0;
  };
  std::vector<std::vector<Mean>> parts(range_count(scores.rows, rows_per_task));
  parallel_ranges(scores.rows, rows_per_task, [&](std::size_t first, std::size_t last) {
    std::vector<Mean>& part = parts[first / rows_per_task];
    part.resize(candidates.size());
    std::vector<double> numerator(bins), denominator(bins);  // what predicting the cells of a bin changes
    for (std::size_t i = first; i < last; ++i) {
      const double weight = row_weight(truth, i);
      if (weight == 0.0) continue;
      std::fill(numerator.begin(), numerator.end(), 0.0);
      std::fill(denominator.begin(), denominator.end(), 0.0);
      double num = 0;
      double den = 0;
      for_each_cell(scores, truth, i, 0, scores.cols, [&](std::size_t j, bool is_positive, float score) {
        const double scale = truth.label_weights.empty() ? 1.0 : static_cast<double>(truth.label_weights[j]);
        const CountRatio& ratio = metric.ratio(j);
        const auto off = [&](const CountWeights& w) { return scale * (is_positive ? w.fn : w.tn); };
        const auto on = [&](const CountWeights& w) { return scale * (is_positive ? w.tp : w.fp); };
        num += off(ratio.numerator);
        den += off(ratio.denominator);
        const std::size_t bin = predicted_at(candidates, score);
        numerator[bin] += on(ratio.numerator) - off(ratio.numerator);
        denominator[bin] += on(ratio.denominator) - off(ratio.denominator);
      });
      for (std::size_t b = bins; b-- > 1;) {
        num += numerator[b];
        den += denominator[b];
        const double value = den != 0.0 ? num / den : metric.zero_division;
        if (std::isnan(value)) continue;
        part[b - 1].sum += weight * value;
        part[b - 1].mass += weight;
      }
    }
  });
  std::vector<double> values(candidates.size());
  for (std::size_t t = 0; t < values.size(); ++t) {
    Mean total;
    for (const auto& part : parts) {
      total.sum += part[t].sum;
      total.mass += part[t].mass;
    }
    values[t] = total.mass > 0 ? total.sum / total.mass : 0.0;
  }
  return values;
}

// Up to `count` of them, ascending, without repeats, and +infinity.
std::vector<float> quantiles(std::vector<float> positive, std::size_t count) {
  std::sort(positive.begin(), positive.end());
  std::vector<float> out;
  for (std::size_t q = 0; q < count && !positive.empty(); ++q) {
    out.push_back(positive[q * (positive.size() - 1) / std::max<std::size_t>(count - 1, 1)]);
  }
  out.erase(std::unique(out.begin(), out.end()), out.end());
  out.push_back(never);  // predicting nothing is best for some metrics that count true negatives
  return out;
}

// Fewer candidates for many labels: counts are kept for each pair of the two.
std::size_t candidate_count(std::size_t labels) {
  return std::clamp<std::size_t>((std::size_t{1} << 20U) / std::max<std::size_t>(labels, 1), 64, 512);
}

GlobalThreshold best_of(const std::vector<float>& candidates, const std::vector<double>& values) {
  const auto best = std::max_element(values.begin(), values.end());
  return {candidates[static_cast<std::size_t>(best - values.begin())], *best};
}

// Scores: a matrix or short lists.
template <class Scores>
std::vector<LabelThreshold> label_thresholds(const Metric& metric, const Scores& scores, const Truth& truth) {
  std::vector<LabelThreshold> out(truth.labels->cols);
  for_each_label_scores(scores, truth, 0.0, [&](std::size_t j, LabelScores& label) {
    Counts counts{0, 0, label.positive_weight, label.negative_weight};
    LabelThreshold best{never, ratio_value(metric.ratio(j), counts, metric.zero_division)};
    std::size_t above = 0;
    for (std::size_t p = 0; p < label.positives.size(); ++p) {
      counts.tp += label.positives[p].weight;
      counts.fn -= label.positives[p].weight;
      // Negatives at the same score would be predicted too.
      for (; above < label.negatives.size() && label.negatives[above].score >= label.positives[p].score;
           ++above) {
        counts.fp += label.negatives[above].weight;
        counts.tn -= label.negatives[above].weight;
      }
      const double value = ratio_value(metric.ratio(j), counts, metric.zero_division);
      if (value > best.value || std::isnan(best.value)) best = {label.positives[p].score, value};
    }
    out[j] = best;
  });
  return out;
}

}  // namespace

std::vector<float> threshold_candidates(const DenseMatrix& scores, const Truth& truth, std::size_t count) {
  std::vector<float> positive;
  positive.reserve(truth.labels->positives());
  for (std::size_t i = 0; i < scores.rows; ++i) {
    for (const std::uint32_t j : truth.labels->row(i)) positive.push_back(scores(i, j));
  }
  return quantiles(std::move(positive), count);
}

std::vector<double> metric_at_thresholds(const Metric& metric, const DenseMatrix& scores, const Truth& truth,
                                         const std::vector<float>& thresholds) {
  return metric.average == Average::samples ? values_by_row(metric, scores, truth, thresholds)
                                            : values_by_label(metric, scores, truth, thresholds);
}

GlobalThreshold best_global_threshold(const Metric& metric, const DenseMatrix& scores, const Truth& truth) {
  const std::vector<float> candidates = threshold_candidates(scores, truth, candidate_count(scores.cols));
  return best_of(candidates, metric_at_thresholds(metric, scores, truth, candidates));
}

GlobalThreshold best_global_threshold(const Metric& metric, const ShortLists& lists, const Truth& truth) {
  std::vector<float> positive;
  for (std::size_t i = 0; i < lists.rows; ++i) {
    const auto own = truth.labels->row(i);
    for (const auto& [label, score] : lists.row(i)) {
      if (std::binary_search(own.begin(), own.end(), label)) positive.push_back(score);
    }
  }
  const std::vector<float> candidates = quantiles(std::move(positive), candidate_count(lists.labels));
  std::vector<double> values(candidates.size());
  parallel_for(candidates.size(), [&](std::size_t c) {
    DecisionRule rule;
    rule.thresholds.assign(lists.labels, candidates[c]);
    values[c] = evaluate(metric, decide(rule, lists), truth);
  });
  return best_of(candidates, values);
}

std::vector<LabelThreshold> best_label_thresholds(const Metric& metric, const DenseMatrix& scores,
                                                  const Truth& truth) {
  return label_thresholds(metric, scores, truth);
}

std::vector<LabelThreshold> best_label_thresholds(const Metric& metric, const ShortLists& lists,
                                                  const Truth& truth) {
  return label_thresholds(metric, lists, truth);
}

}  // namespace mmo
