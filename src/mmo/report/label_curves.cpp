#include "mmo/report/label_curves.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "mmo/rule/label_scores.h"

namespace mmo {
namespace {

// The number t with the fewest decimals such that low < t ≤ high.
float shortest_between(float low, float high) {
  double scale = 1;
  for (int decimals = 0; decimals <= 8; ++decimals, scale *= 10) {
    const auto t = static_cast<float>(std::floor(static_cast<double>(high) * scale) / scale);
    if (low < t && t <= high) return t;
  }
  return high;
}

// The highest score below `score`, −∞ if there is none; `scores` are descending.
float next_below(const std::vector<WeightedScore>& scores, float score) {
  const auto next = std::partition_point(scores.begin(), scores.end(),
                                         [score](const WeightedScore& s) { return s.score >= score; });
  return next == scores.end() ? -std::numeric_limits<float>::infinity() : next->score;
}

std::vector<float> thresholds_of(const LabelScores& label, std::size_t most_points) {
  std::vector<float> distinct;
  for (const WeightedScore& s : label.positives) {
    if (distinct.empty() || s.score < distinct.back()) distinct.push_back(s.score);
  }
  const std::size_t count = std::min(most_points, distinct.size());
  std::vector<float> thresholds(count);
  for (std::size_t k = 0; k < count; ++k) {
    const float score = distinct[count == 1 ? 0 : k * (distinct.size() - 1) / (count - 1)];
    thresholds[k] = shortest_between(
        std::max(next_below(label.positives, score), next_below(label.negatives, score)), score);
  }
  return thresholds;
}

// Adds to sum the weights of scores ≥ threshold, apart from the first `used`, which it already includes.
void add_reached(const std::vector<WeightedScore>& scores, float threshold, std::size_t& used, double& sum) {
  for (; used < scores.size() && scores[used].score >= threshold; ++used)
    sum += static_cast<double>(scores[used].weight);
}

}  // namespace

std::vector<std::vector<CurvePoint>> label_curves(const DenseMatrix& scores, const Truth& truth,
                                                  std::size_t most_points,
                                                  std::span<const float> own_thresholds) {
  std::vector<std::vector<CurvePoint>> curves(scores.cols);
  for_each_label_scores(scores, truth, 0, [&](std::size_t j, const LabelScores& label) {
    std::vector<float> thresholds = thresholds_of(label, most_points);
    if (!own_thresholds.empty() && std::isfinite(own_thresholds[j])) thresholds.push_back(own_thresholds[j]);
    std::sort(thresholds.begin(), thresholds.end(), std::greater<>());
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    CurvePoint point;
    std::size_t positives = 0;
    std::size_t negatives = 0;
    for (const float threshold : thresholds) {
      point.threshold = threshold;
      add_reached(label.positives, threshold, positives, point.tp);
      add_reached(label.negatives, threshold, negatives, point.fp);
      curves[j].push_back(point);
    }
  });
  return curves;
}

}  // namespace mmo
