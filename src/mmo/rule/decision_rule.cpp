#include "mmo/rule/decision_rule.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "mmo/core/parallel.h"

namespace mmo {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::size_t rows_per_task = 256;
constexpr std::size_t first_chunk = 32;  // labels sorted before looking for the best k

struct Candidate {
  float key;
  std::uint32_t label;
  // Higher key first, then lower label: ONNX's TopK order.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.key > b.key || (a.key == b.key && a.label < b.label);
  }
};

// Orders candidates as far as asked, in chunks of doubling size: O(l + k log k) for the first k.
class LazyOrder {
 public:
  explicit LazyOrder(std::vector<Candidate>& candidates) : items_(candidates) {}
  const Candidate& operator[](std::size_t i) {
    while (i >= sorted_) {
      const std::size_t next = std::min(items_.size(), std::max(first_chunk, 2 * sorted_));
      const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(sorted_);
      const auto middle = items_.begin() + static_cast<std::ptrdiff_t>(next);
      if (middle != items_.end()) std::nth_element(begin, middle, items_.end());
      std::sort(begin, middle);
      sorted_ = next;
    }
    return items_[i];
  }

 private:
  std::vector<Candidate>& items_;
  std::size_t sorted_ = 0;
};

// An empty list that keeps its memory from row to row.
std::vector<Candidate>& no_candidates() {
  thread_local std::vector<Candidate> candidates;
  candidates.clear();
  return candidates;
}

// Appends the labels of the first k, ascending.
void append_first(LazyOrder& order, std::size_t k, std::vector<std::uint32_t>& out) {
  const std::size_t before = out.size();
  for (std::size_t i = 0; i < k; ++i) out.push_back(order[i].label);
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
}

float without_nan(float key) { return std::isnan(key) ? -infinity : key; }

double sigmoid(double z) { return 1.0 / (1.0 + std::exp(-std::clamp(z, -largest_logit, largest_logit))); }

// A linear combination of the expected counts when the k labels whose probabilities sum to s are predicted,
// P = Σp over all l labels: TP = s, FP = k − s, FN = P − s, TN = l − k − (P − s), so
//   (tp − fp − fn + tn)·s + (fp − tn)·k + (fn − tn)·P + tn·l.
struct ExpectedCount {
  double per_sum, per_label, fixed;
  ExpectedCount(const CountWeights& w, double total, double labels)
      : per_sum(w.tp - w.fp - w.fn + w.tn),
        per_label(w.fp - w.tn),
        fixed((w.fn - w.tn) * total + w.tn * labels) {}
  [[nodiscard]] double value(double sum, double k) const { return per_sum * sum + per_label * k + fixed; }
  // What one more label of probability p adds.
  [[nodiscard]] double gain(double p) const { return per_sum * p + per_label; }
};

struct Limits {
  std::size_t least, most;
};

// max_labels is the stronger wish; neither can exceed the number of labels that may be predicted.
Limits limits(const DecisionRule& rule, std::size_t wanted, std::size_t allowed) {
  const std::size_t most = rule.max_labels > 0 ? std::min(rule.max_labels, allowed) : allowed;
  return {std::min(std::max(rule.min_labels, wanted), most), most};
}

// k = argmax of N(k) / D(k) over least ≤ k ≤ most (0 where D(k) ≤ 0), the smallest such k.
// Stops early and exactly: with best ratio R so far and D > 0, adding labels can't pass R once every
// remaining probability p has gain_N(p) ≤ R·gain_D(p); both sides are linear in p, so p = 0 and the next p
// decide.
// `probability` of the k-th label in that order; `total` is their sum over all labels.
template <class Probability>
std::size_t best_count(const CountRatio& ratio, double total, std::size_t labels, Limits range,
                       const Probability& probability) {
  const ExpectedCount numerator(ratio.numerator, total, static_cast<double>(labels));
  const ExpectedCount denominator(ratio.denominator, total, static_cast<double>(labels));

  double sum = 0;
  double best = -std::numeric_limits<double>::infinity();
  std::size_t best_k = range.least;
  for (std::size_t k = 0; k <= range.most; ++k) {
    if (k >= range.least) {
      const double below = denominator.value(sum, static_cast<double>(k));
      const double value = below > 0 ? numerator.value(sum, static_cast<double>(k)) / below : 0.0;
      if (value > best) {
        best = value;
        best_k = k;
      }
    }
    if (k == range.most) break;
    const double p = probability(k);
    const auto hopeless = [&](double q) { return numerator.gain(q) <= best * denominator.gain(q); };
    if (k >= range.least && hopeless(p) && hopeless(0)) break;
    sum += p;
  }
  return best_k;
}

// Appends the row's labels.
void decide_expected(const DecisionRule& rule, std::span<const float> scores,
                     std::vector<std::uint32_t>& out) {
  std::vector<Candidate>& candidates = no_candidates();
  std::size_t forced = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const float threshold = rule.thresholds.empty() ? 0.0F : rule.thresholds[j];
    if (threshold == infinity) continue;
    const bool always = threshold == -infinity;
    forced += always ? 1 : 0;
    candidates.push_back({always ? infinity : without_nan(scores[j]), static_cast<std::uint32_t>(j)});
  }
  LazyOrder order(candidates);
  double total = 0;
  for (const float z : scores) total += sigmoid(z);
  const std::size_t k = best_count(rule.ratio, total, scores.size(), limits(rule, forced, candidates.size()),
                                   [&](std::size_t at) { return sigmoid(scores[order[at].label]); });
  append_first(order, k, out);
}

bool within_limits(const DecisionRule& rule, std::size_t found) {
  return found >= rule.min_labels && (rule.max_labels == 0 || found <= rule.max_labels);
}

// Appends all labels at or above their threshold, cut to max_labels or filled to min_labels by z − threshold.
void decide_thresholds(const DecisionRule& rule, std::span<const float> scores,
                       std::vector<std::uint32_t>& out) {
  const std::size_t before = out.size();
  constexpr std::size_t group = 16;  // most of which hold no label: one look at all of a group
  for (std::size_t first = 0; first < scores.size(); first += group) {
    const std::size_t last = std::min(first + group, scores.size());
    int reached = 0;
    for (std::size_t j = first; j < last; ++j) reached |= scores[j] >= rule.thresholds[j] ? 1 : 0;
    if (reached == 0) continue;
    for (std::size_t j = first; j < last; ++j) {
      if (scores[j] >= rule.thresholds[j] && rule.thresholds[j] != infinity)
        out.push_back(static_cast<std::uint32_t>(j));
    }
  }
  const std::size_t found = out.size() - before;
  if (within_limits(rule, found)) return;

  std::vector<Candidate>& candidates = no_candidates();
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (rule.thresholds[j] == infinity) continue;
    candidates.push_back({without_nan(scores[j] - rule.thresholds[j]), static_cast<std::uint32_t>(j)});
  }
  const std::size_t k = limits(rule, found, candidates.size()).least;
  LazyOrder order(candidates);
  out.resize(before);
  append_first(order, k, out);
}

void append_decided(const DecisionRule& rule, std::span<const float> scores,
                    std::vector<std::uint32_t>& out) {
  assert(rule.thresholds.size() == scores.size() ||
         (rule.thresholds.empty() && rule.kind == DecisionRule::Kind::expected_count));
  if (rule.kind == DecisionRule::Kind::thresholds) {
    decide_thresholds(rule, scores, out);
  } else {
    decide_expected(rule, scores, out);
  }
}

// Appends the labels of a list.
void append_decided(const DecisionRule& rule, std::span<const LabelScore> list, std::size_t labels,
                    std::vector<std::uint32_t>& out) {
  const bool expected = rule.kind == DecisionRule::Kind::expected_count;
  std::vector<Candidate>& candidates = no_candidates();
  std::size_t found = 0;
  double total = 0;
  for (const auto& [label, score] : list) {
    const float threshold = rule.thresholds.empty() ? 0.0F : rule.thresholds[label];
    if (expected) total += sigmoid(score);
    if (threshold == infinity) continue;
    found += score >= threshold ? 1 : 0;
    candidates.push_back({without_nan(expected ? score : score - threshold), label});
  }
  LazyOrder order(candidates);
  if (expected) {
    found = best_count(rule.ratio, total, labels, limits(rule, 0, candidates.size()),
                       [&](std::size_t at) { return sigmoid(order[at].key); });
  } else if (!within_limits(rule, found)) {
    found = limits(rule, found, candidates.size()).least;
  }
  append_first(order, found, out);
}

// Decides range after range of rows, in parallel.
template <class Append>
LabelMatrix decide_rows(std::size_t rows, std::size_t labels, const Append& append) {
  std::vector<LabelMatrix> parts(range_count(rows, rows_per_task));
  parallel_ranges(rows, rows_per_task, [&](std::size_t first, std::size_t last) {
    LabelMatrix part;
    part.offsets.reserve(last - first + 1);
    for (std::size_t i = first; i < last; ++i) {
      append(i, part.indices);
      part.offsets.push_back(part.indices.size());
    }
    part.rows = last - first;
    parts[first / rows_per_task] = std::move(part);
  });
  LabelMatrix out = parts.empty() ? LabelMatrix{} : std::move(parts.front());
  out.cols = labels;
  for (std::size_t p = 1; p < parts.size(); ++p) out.push_rows(parts[p]);
  return out;
}

}  // namespace

void decide_row(const DecisionRule& rule, std::span<const float> scores, std::vector<std::uint32_t>& out) {
  out.clear();
  append_decided(rule, scores, out);
}

LabelMatrix decide(const DecisionRule& rule, const DenseMatrix& scores) {
  return decide_rows(scores.rows, scores.cols, [&](std::size_t i, std::vector<std::uint32_t>& out) {
    append_decided(rule, scores.row(i), out);
  });
}

LabelMatrix decide(const DecisionRule& rule, const ShortLists& lists) {
  return decide_rows(lists.rows, lists.labels, [&](std::size_t i, std::vector<std::uint32_t>& out) {
    append_decided(rule, lists.row(i), lists.labels, out);
  });
}

}  // namespace mmo
