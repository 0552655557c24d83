#include "mmo/rule/rank_curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mmo/core/fast_exp.h"
#include "mmo/cost/cost.h"
#include "mmo/rule/label_scores.h"

namespace mmo {
namespace {

constexpr std::size_t grid_points = 96;
constexpr double smallest_rank = 1.0 / 512, largest_rank = 30.0;
constexpr double frequency_bin = 0.5;   // width of a pool's bin in log n⁺
constexpr double pool_bandwidth = 0.7;  // how far pools borrow from each other, in log n⁺
constexpr double macro_shrinkage = 8, micro_shrinkage = 30;
constexpr double soft_maximum = 0.01;  // points within about this much of the best value share the choice
constexpr float never = std::numeric_limits<float>::infinity();

const std::array<double, grid_points>& log_ranks() {
  static const auto grid = [] {
    std::array<double, grid_points> g{};
    const double low = std::log(smallest_rank);
    const double high = std::log(largest_rank);
    for (std::size_t i = 0; i < grid_points; ++i)
      g[i] = low + (high - low) * static_cast<double>(i) / (grid_points - 1);
    return g;
  }();
  return grid;
}

// The normal distribution function; error below 2·10⁻⁷ (Abramowitz & Stegun 7.1.26).
MMO_INLINE float normal_cdf(float x) {
  const float z = std::fabs(x) * 0.70710678F;
  const float t = 1.0F / (1.0F + 0.3275911F * z);
  const float series =
      ((((1.061405429F * t - 1.453152027F) * t + 1.421413741F) * t - 0.284496736F) * t + 0.254829592F) * t;
  const float tail = 0.5F * series * fast_exp(-z * z);
  return simd::select(x < 0.0F, tail, 1.0F - tail);
}

// curve[g] += share·Φ((grid[g] − at) / bandwidth)
MMO_SIMD void add_step(float* curve, const float* grid, float at, float bandwidth, float share) {
  const float narrowness = 1.0F / bandwidth;
  for (std::size_t g = 0; g < grid_points; ++g) curve[g] += share * normal_cdf((grid[g] - at) * narrowness);
}

std::size_t bin_of(double positives) {
  return static_cast<std::size_t>(std::log(std::max(positives, 1.0)) / frequency_bin);
}

Counts counts_at(double positives, double negatives, double h, double r) {
  const double fp = std::min(positives * r, negatives);
  return {positives * h, fp, positives * (1.0 - h), negatives - fp};
}

// The mean of the lists' last scores: what no list holds is below it, as a rule.
float typical_last_score(const ShortLists& lists) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < lists.rows; ++i) {
    if (lists.row(i).empty()) continue;
    sum += static_cast<double>(lists.row(i).back().score);
    ++count;
  }
  return count > 0 ? static_cast<float>(sum / static_cast<double>(count)) : 0.0F;
}

}  // namespace

RankCurves::RankCurves(const DenseMatrix& scores, const Truth& truth) : labels_(scores.cols), floor_(-never) {
  for_each_label_scores(scores, truth, largest_rank,
                        [&](std::size_t j, const LabelScores& label) { add(labels_[j], label); });
  pool();
}

RankCurves::RankCurves(const ShortLists& lists, const Truth& truth)
    : labels_(lists.labels), floor_(typical_last_score(lists)) {
  for_each_label_scores(lists, truth, largest_rank,
                        [&](std::size_t j, const LabelScores& label) { add(labels_[j], label); });
  pool();
}

void RankCurves::add(Label& label, const LabelScores& in) {
  std::array<float, grid_points> grid{};
  std::copy(log_ranks().begin(), log_ranks().end(), grid.begin());
  label.positives = in.positive_weight;
  label.negatives = in.negative_weight;
  label.top_negatives.reserve(in.negatives.size());
  double passed = 0;
  for (const auto& negative : in.negatives) {
    label.top_negatives.push_back(negative.score);
    label.middle.push_back(passed + 0.5 * negative.weight);
    passed += negative.weight;
  }
  if (in.positive_weight <= 0) return;
  label.curve.assign(grid_points, 0.0F);
  const double bandwidth = std::pow(std::max(in.positive_weight, 1.0), -0.2);
  double above = 0;  // weight of negatives above the current positive
  std::size_t next = 0;
  for (const auto& positive : in.positives) {
    for (; next < in.negatives.size() && in.negatives[next].score >= positive.score; ++next)
      above += in.negatives[next].weight;
    if (next == in.negatives.size() && next > 0 && above >= largest_rank * in.positive_weight)
      break;  // beyond the grid
    const double at = std::log(std::max(above, 0.5) / in.positive_weight);
    add_step(label.curve.data(), grid.data(), static_cast<float>(at), static_cast<float>(bandwidth),
             static_cast<float>(positive.weight / in.positive_weight));
  }
}

// Pools: curves of labels of similar frequency, each weighted by its positives.
void RankCurves::pool() {
  std::vector<std::vector<double>> sums;
  std::vector<double> mass;
  for (const Label& label : labels_) {
    if (label.curve.empty()) continue;
    const std::size_t bin = bin_of(label.positives);
    if (bin >= sums.size()) {
      sums.resize(bin + 1, std::vector<double>(grid_points));
      mass.resize(bin + 1);
    }
    for (std::size_t g = 0; g < grid_points; ++g) sums[bin][g] += label.positives * label.curve[g];
    mass[bin] += label.positives;
  }
  pools_.resize(sums.size(), std::vector<float>(grid_points));
  for (std::size_t b = 0; b < sums.size(); ++b) {
    std::vector<double> pooled(grid_points);
    double total = 0;
    for (std::size_t other = 0; other < sums.size(); ++other) {
      const double distance =
          (static_cast<double>(b) - static_cast<double>(other)) * frequency_bin / pool_bandwidth;
      const double share = std::exp(-0.5 * distance * distance);
      for (std::size_t g = 0; g < grid_points; ++g) pooled[g] += share * sums[other][g];
      total += share * mass[other];
    }
    for (std::size_t g = 0; g < grid_points && total > 0; ++g)
      pools_[b][g] = static_cast<float>(pooled[g] / total);
  }
}

std::vector<float> RankCurves::shrunken(const Label& label, double strength) const {
  const auto& pool = pools_[bin_of(label.positives)];
  std::vector<float> h(grid_points);
  for (std::size_t g = 0; g < grid_points; ++g) {
    h[g] = static_cast<float>((label.positives * label.curve[g] + strength * pool[g]) /
                              (label.positives + strength));
  }
  return h;
}

// The score that leaves r·n⁺ negatives above it, between the neighbouring ones.
float RankCurves::threshold_at(const Label& label, double r) const {
  const auto& negatives = label.top_negatives;
  if (negatives.empty()) return floor_;
  const double target = r * label.positives;
  const auto next = static_cast<std::size_t>(
      std::upper_bound(label.middle.begin(), label.middle.end(), target) - label.middle.begin());
  if (next == 0) return std::nextafter(negatives.front(), never);
  if (next == negatives.size()) return negatives.back();
  const double gap = label.middle[next] - label.middle[next - 1];
  const double share = gap > 0 ? (target - label.middle[next - 1]) / gap : 0.0;
  return static_cast<float>((1.0 - share) * negatives[next - 1] + share * negatives[next]);
}

std::vector<float> RankCurves::maximise_each(const Metric& metric) const {
  const auto& grid = log_ranks();
  std::vector<float> thresholds(labels_.size(), never);
  for (std::size_t j = 0; j < labels_.size(); ++j) {
    const Label& label = labels_[j];
    if (label.curve.empty()) continue;
    const CountRatio& ratio = metric.ratio(j);
    const double one_error = std::max({std::abs(ratio.denominator.fp), std::abs(ratio.denominator.fn), 1e-9});
    const auto h = shrunken(label, macro_shrinkage);
    std::array<double, grid_points> value{};
    for (std::size_t g = 0; g < grid_points; ++g) {
      const Counts counts = counts_at(label.positives, label.negatives, h[g], std::exp(grid[g]));
      value[g] = combine(ratio.numerator, counts) / (combine(ratio.denominator, counts) + one_error);
    }
    const double best = *std::max_element(value.begin(), value.end());
    double mass = 0;
    double log_rank = 0;
    for (std::size_t g = 0; g < grid_points; ++g) {
      const double share = std::exp((value[g] - best) / soft_maximum);
      mass += share;
      log_rank += share * grid[g];
    }
    thresholds[j] = threshold_at(label, std::exp(log_rank / mass));
  }
  return thresholds;
}

RankCurves::MicroResult RankCurves::maximise_sum(const Metric& metric,
                                                 std::span<const float> label_weights) const {
  std::array<double, grid_points> ranks = log_ranks();
  for (double& rank : ranks) rank = std::exp(rank);
  MicroResult result;
  std::vector<std::vector<float>> curves(labels_.size());
  for (std::size_t j = 0; j < labels_.size(); ++j) {
    if (!labels_[j].curve.empty()) curves[j] = shrunken(labels_[j], micro_shrinkage);
  }
  result.lambda = 0.5;
  for (int round = 0; round < 50; ++round) {
    double numerator = 0;
    double denominator = 0;
    result.thresholds.assign(labels_.size(), never);
    for (std::size_t j = 0; j < labels_.size(); ++j) {
      const Label& label = labels_[j];
      if (label.curve.empty()) continue;
      const CountRatio& ratio = metric.ratio(j);
      const LabelCost cost = label_cost(ratio, result.lambda);
      // Predicting nothing is the point (h, r) = (0, 0).
      double best_gain = 0;
      double best_h = 0;
      double best_r = 0;
      for (std::size_t g = 0; g < grid_points; ++g) {
        const double gain = cost.false_negative * curves[j][g] - cost.false_positive * ranks[g];
        if (gain > best_gain) {
          best_gain = gain;
          best_h = curves[j][g];
          best_r = ranks[g];
        }
      }
      const double weight = label_weights.empty() ? 1.0 : static_cast<double>(label_weights[j]);
      const Counts counts = counts_at(label.positives, label.negatives, best_h, best_r);
      numerator += weight * combine(ratio.numerator, counts);
      denominator += weight * combine(ratio.denominator, counts);
      if (best_r > 0) result.thresholds[j] = threshold_at(label, best_r);
    }
    const double next = denominator > 0 ? numerator / denominator : 0.0;
    if (std::abs(next - result.lambda) < 1e-6) break;
    result.lambda = next;
  }
  return result;
}

}  // namespace mmo
