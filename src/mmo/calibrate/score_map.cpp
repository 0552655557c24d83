#include "mmo/calibrate/score_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "mmo/core/error.h"

namespace mmo {
namespace {

constexpr int fewest_digits = 6;
constexpr int most_digits = std::numeric_limits<double>::max_digits10;

constexpr float infinity = std::numeric_limits<float>::infinity();

// Halfway between the two, or `wanted` if one of them does not exist.
double middle(float low, float high, double wanted) {
  if (high == infinity) return std::max(wanted, static_cast<double>(std::nextafter(low, infinity)));
  if (low == -infinity) return std::min(wanted, static_cast<double>(high));
  const double gap = static_cast<double>(high) - static_cast<double>(low);
  const double half = low + gap / 2;
  // Between adjacent 32-bit numbers the middle may round to the lower one.
  return static_cast<float>(half) > low ? half : low + 0.75 * gap;
}

// The number with fewest digits near `target` that accepts `high` and rejects `low`.
double between(float low, float high, double target) {
  for (int digits = fewest_digits; digits <= most_digits; ++digits) {
    const double value = std::strtod(fmt::format("{:.{}g}", target, digits).c_str(), nullptr);
    const auto single = static_cast<float>(value);
    if (value > low && single > low && value <= high && single <= high) return value;
  }
  return high;
}

// Do present labels have the higher scores on average? (The sign of a logistic fit's slope.)
bool higher_where_present(const DenseMatrix& scores, const LabelMatrix& labels,
                          const LabelMatrix* unknown_labels, std::span<const float> row_weights) {
  double sum[2] = {0, 0};
  double weight[2] = {0, 0};
  for (std::size_t i = 0; i < scores.rows; ++i) {
    const double row_weight = row_weights.empty() ? 1 : row_weights[i];
    const auto present = labels.row(i);
    const auto unknown = unknown_labels != nullptr && unknown_labels->rows > 0
                             ? unknown_labels->row(i)
                             : std::span<const std::uint32_t>();
    for (std::uint32_t j = 0; j < scores.cols; ++j) {
      if (std::binary_search(unknown.begin(), unknown.end(), j)) continue;
      const bool is_present = std::binary_search(present.begin(), present.end(), j);
      sum[is_present ? 1 : 0] += row_weight * scores(i, j);
      weight[is_present ? 1 : 0] += row_weight;
    }
  }
  return sum[1] * weight[0] > sum[0] * weight[1];
}

}  // namespace

DenseMatrix ScoreMap::apply(DenseMatrix scores) const {
  scores.values.own();  // before threads write to it
  constexpr float edge = 1e-6F;
  if (probabilities) {
    for (float& s : scores.values) {
      const float p = std::clamp(s, edge, 1 - edge);
      s = std::log(p / (1 - p));
    }
  }
  apply_calibration(calibration, scores);
  return scores;
}

double ScoreMap::inverse(double z) const {
  const double u = (z - calibration.shift) / calibration.scale;
  return probabilities ? 1 / (1 + std::exp(-u)) : u;
}

ScoreMap fit_score_map(const DenseMatrix& scores, const LabelMatrix& labels, const LabelMatrix* unknown,
                       std::span<const float> row_weights, const std::string& source,
                       std::optional<bool> probabilities, bool accept_reversed) {
  ScoreMap map;
  map.probabilities = probabilities.value_or(
      std::all_of(scores.values.begin(), scores.values.end(), [](float s) { return s >= 0 && s <= 1; }));
  const DenseMatrix logits = map.apply(scores);
  if (!accept_reversed && !higher_where_present(logits, labels, unknown, row_weights)) {
    throw DataError(
        source, 0,
        "higher scores go with absent labels; are rows and columns those of the labels, and the sign right?");
  }
  map.calibration = fit_calibration(logits, labels, unknown, row_weights);
  return map;
}

std::vector<double> input_thresholds(std::span<const float> logit_thresholds, const ScoreMap& map,
                                     const DenseMatrix& scores) {
  const DenseMatrix logits = map.apply(scores);
  std::vector<double> thresholds(scores.cols);
  for (std::size_t j = 0; j < scores.cols; ++j) {
    const double wanted = logit_thresholds[j];
    thresholds[j] = wanted;
    if (std::isinf(wanted)) continue;
    float low = -infinity;
    float high = infinity;
    for (std::size_t i = 0; i < scores.rows; ++i) {
      if (logits(i, j) >= logit_thresholds[j]) {
        high = std::min(high, scores(i, j));
      } else {
        low = std::max(low, scores(i, j));
      }
    }
    thresholds[j] = between(low, high, middle(low, high, map.inverse(wanted)));
  }
  return thresholds;
}

}  // namespace mmo
