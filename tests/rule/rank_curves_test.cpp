// The class against its formulas written plainly: double precision, the C library's erfc, every positive
// compared with every negative.
#include "mmo/rule/rank_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "mmo/core/random.h"

namespace mmo {
namespace {

constexpr std::size_t points = 96;
constexpr double smallest = 1.0 / 512, largest = 30;

struct Scored {
  DenseMatrix scores;
  LabelMatrix labels;
  std::vector<float> row_weights;
};

// Labels of 5 to 60 per cent, none so rare that its ranks leave the grid; the first two of the same
// frequency.
Scored draw() {
  constexpr std::size_t rows = 240;
  const std::vector<double> shares{0.05, 0.05, 0.1, 0.2, 0.4, 0.6};
  Random random(4);
  Scored out{DenseMatrix(rows, shares.size()), {}, {}};
  out.labels.cols = shares.size();
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::uint32_t> present;
    for (std::uint32_t j = 0; j < shares.size(); ++j) {
      const bool positive = random.uniform() < shares[j];
      if (positive) present.push_back(j);
      out.scores(i, j) = static_cast<float>(random.normal() + (positive ? 0.6 + 0.2 * j : 0.0));
    }
    out.labels.push_row(present);
    out.row_weights.push_back(static_cast<float>(0.5 + random.uniform()));
  }
  return out;
}

struct Cell {
  double score = 0, weight = 1;
};

struct Plain {
  std::vector<Cell> positives, negatives;  // negatives descending
  double positive_weight = 0, negative_weight = 0;
  std::vector<double> curve = std::vector<double>(points);
};

double rank(std::size_t g) {
  return std::exp(std::log(smallest) +
                  (std::log(largest) - std::log(smallest)) * static_cast<double>(g) / (points - 1));
}

// h(r) = Σ share·Φ((log r − log(negatives above / n⁺)) / n⁺^−0.2)
Plain plain_label(const Scored& data, std::uint32_t j, bool weighted) {
  Plain out;
  for (std::size_t i = 0; i < data.scores.rows; ++i) {
    const Cell cell{data.scores(i, j), weighted ? data.row_weights[i] : 1.0};
    const auto row = data.labels.row(i);
    const bool positive = std::find(row.begin(), row.end(), j) != row.end();
    (positive ? out.positives : out.negatives).push_back(cell);
    (positive ? out.positive_weight : out.negative_weight) += cell.weight;
  }
  std::sort(out.negatives.begin(), out.negatives.end(),
            [](const Cell& a, const Cell& b) { return a.score > b.score; });
  const double bandwidth = std::pow(out.positive_weight, -0.2);
  for (const Cell& positive : out.positives) {
    double above = 0;
    for (const Cell& negative : out.negatives)
      above += negative.score >= positive.score ? negative.weight : 0;
    const double at = std::log(std::max(above, 0.5) / out.positive_weight);
    for (std::size_t g = 0; g < points; ++g) {
      const double z = (std::log(rank(g)) - at) / bandwidth;
      out.curve[g] += positive.weight / out.positive_weight * 0.5 * std::erfc(-z / std::numbers::sqrt2);
    }
  }
  return out;
}

int bin_of(const Plain& label) { return static_cast<int>(std::log(label.positive_weight) / 0.5); }

// (n⁺·own + s·pool)/(n⁺ + s); a pool is the mean of the bins' curves, each bin by its positives and its
// distance.
std::vector<double> plain_shrunken(const std::vector<Plain>& labels, const Plain& label, double strength) {
  std::vector<double> out(points);
  for (std::size_t g = 0; g < points; ++g) {
    double sum = 0;
    double mass = 0;
    for (const Plain& other : labels) {
      const double distance = (bin_of(label) - bin_of(other)) * 0.5 / 0.7;
      const double share = std::exp(-0.5 * distance * distance) * other.positive_weight;
      sum += share * other.curve[g];
      mass += share;
    }
    out[g] =
        (label.positive_weight * label.curve[g] + strength * sum / mass) / (label.positive_weight + strength);
  }
  return out;
}

// Half of each negative's weight lies above its score; straight lines between.
double plain_threshold(const Plain& label, double r) {
  const double target = r * label.positive_weight;
  double passed = 0;
  double last_middle = 0;
  for (std::size_t k = 0; k < label.negatives.size(); ++k) {
    const double middle = passed + 0.5 * label.negatives[k].weight;
    passed += label.negatives[k].weight;
    if (middle > target) {
      if (k == 0) return label.negatives[0].score;
      const double share = (target - last_middle) / (middle - last_middle);
      return label.negatives[k - 1].score + share * (label.negatives[k].score - label.negatives[k - 1].score);
    }
    last_middle = middle;
  }
  return label.negatives.back().score;
}

Counts plain_counts(const Plain& label, double h, double r) {
  const double fp = std::min(label.positive_weight * r, label.negative_weight);
  return {label.positive_weight * h, fp, label.positive_weight * (1 - h), label.negative_weight - fp};
}

std::vector<Plain> plain_labels(const Scored& data, bool weighted) {
  std::vector<Plain> out;
  for (std::uint32_t j = 0; j < data.labels.cols; ++j) out.push_back(plain_label(data, j, weighted));
  return out;
}

constexpr double tolerance = 2e-4;  // curves in 32-bit numbers, Φ to 2e-7, scores of order 1

TEST(RankCurves, EachLabelsThresholdFollowsTheFormulas) {
  const Scored data = draw();
  for (const char* name : {"macro-f1", "macro-f2", "macro-jaccard"}) {
    const Metric metric = parse_metric(name);
    const CountRatio ratio = metric.ratio(0);
    const double one_error = std::max({std::abs(ratio.denominator.fp), std::abs(ratio.denominator.fn), 1e-9});
    for (const bool weighted : {false, true}) {
      const RankCurves curves(data.scores, {.labels = &data.labels,
                                            .unknown = nullptr,
                                            .row_weights = weighted ? std::span<const float>(data.row_weights)
                                                                    : std::span<const float>()});
      const std::vector<float> found = curves.maximise_each(metric);
      const std::vector<Plain> labels = plain_labels(data, weighted);
      for (std::size_t j = 0; j < labels.size(); ++j) {
        const std::vector<double> h = plain_shrunken(labels, labels[j], 8);
        std::vector<double> value(points);
        for (std::size_t g = 0; g < points; ++g) {
          const Counts counts = plain_counts(labels[j], h[g], rank(g));
          value[g] = combine(ratio.numerator, counts) / (combine(ratio.denominator, counts) + one_error);
        }
        const double best = *std::max_element(value.begin(), value.end());
        double mass = 0;
        double log_rank = 0;
        for (std::size_t g = 0; g < points; ++g) {
          mass += std::exp((value[g] - best) / 0.01);
          log_rank += std::exp((value[g] - best) / 0.01) * std::log(rank(g));
        }
        EXPECT_NEAR(found[j], plain_threshold(labels[j], std::exp(log_rank / mass)), tolerance)
            << name << " " << j;
      }
    }
  }
}

// At the λ found, every label's point maximises a·h − b·r, and together they give that λ.
TEST(RankCurves, ThresholdsOfASumFollowTheFormulas) {
  const Scored data = draw();
  const std::vector<Plain> labels = plain_labels(data, false);
  const std::vector<float> label_weights{1, 2, 1, 0.5F, 1, 3};
  for (const char* name : {"micro-f1", "micro-f0.5", "micro-jaccard"}) {
    const CountRatio ratio = parse_metric(name).ratio(0);
    const auto found =
        RankCurves(data.scores, {.labels = &data.labels}).maximise_sum(parse_metric(name), label_weights);
    // Gain of one TP in place of an FN, and loss of one FP in place of a TN, at λ.
    const auto lagrangian = [&](const Counts& c) {
      return combine(ratio.numerator, c) - found.lambda * combine(ratio.denominator, c);
    };
    double numerator = 0;
    double denominator = 0;
    for (std::size_t j = 0; j < labels.size(); ++j) {
      const std::vector<double> h = plain_shrunken(labels, labels[j], 30);
      double best_gain = 0;
      double best_h = 0;
      double best_r = 0;
      for (std::size_t g = 0; g < points; ++g) {
        // In proportion to n⁺, without the bound of negatives, as the rule counts.
        const double gain = h[g] * (lagrangian({1, 0, 0, 0}) - lagrangian({0, 0, 1, 0})) +
                            rank(g) * (lagrangian({0, 1, 0, 0}) - lagrangian({0, 0, 0, 1}));
        if (gain > best_gain) {
          best_gain = gain;
          best_h = h[g];
          best_r = rank(g);
        }
      }
      const Counts counts = plain_counts(labels[j], best_h, best_r);
      numerator += label_weights[j] * combine(ratio.numerator, counts);
      denominator += label_weights[j] * combine(ratio.denominator, counts);
      if (best_r == 0) {
        EXPECT_EQ(found.thresholds[j], std::numeric_limits<float>::infinity()) << name << " " << j;
        continue;
      }
      EXPECT_NEAR(found.thresholds[j], plain_threshold(labels[j], best_r), tolerance) << name << " " << j;
    }
    EXPECT_NEAR(found.lambda, numerator / denominator, 1e-5) << name;
  }
}

}  // namespace
}  // namespace mmo
