#include "mmo/transform/rank_gauss.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "mmo/core/simd.h"
#include "mmo/core/sort_floats.h"
#include "mmo/transform/for_columns.h"

namespace mmo {
namespace {

constexpr std::size_t max_knots = 256;  // a power of two: the ONNX graph searches them by halving

struct Knots {
  std::vector<float> values, scores;
};

// Φ⁻¹(k/2n) for k = 1 … 2n − 1: all that the ranks of n rows need, whatever the column.
std::vector<double> normal_scores(std::size_t n) {
  std::vector<double> scores(2 * n, 0.0);
  for (std::size_t k = 1; k < n; ++k) {
    scores[k] = normal_quantile(static_cast<double>(k) / (2 * static_cast<double>(n)));
    scores[2 * n - k] = -scores[k];
  }
  return scores;
}

// The runs of equal values of a sorted column. The run at (0-based) positions first … last has mid-rank
// probability p = (first + last + 1) / (2n) and normal score Φ⁻¹(p).
class Runs {
 public:
  Runs(const std::vector<float>& sorted, const std::vector<double>& scores) : scores_(scores) {
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i == 0 || sorted[i] != sorted[i - 1]) starts_.push_back(i);
    }
    starts_.push_back(sorted.size());
  }
  [[nodiscard]] std::size_t count() const { return starts_.size() - 1; }
  [[nodiscard]] std::size_t first(std::size_t run) const { return starts_[run]; }
  [[nodiscard]] double score(std::size_t run) const { return scores_[starts_[run] + starts_[run + 1]]; }

  // The last run at most `step` above run `from`, but at least the one after it.
  [[nodiscard]] std::size_t next(std::size_t from, double step) const {
    const double limit = score(from) + step;
    std::size_t low = from + 1;
    std::size_t high =
        low + 1;  // score(low) may exceed the limit; once both have galloped there, score(high) does
    for (std::size_t stride = 1; high < count() && score(high) <= limit; stride *= 2) {
      low = high;
      high += stride;
    }
    high = std::min(high, count());
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (score(middle) <= limit ? low : high) = middle;
    }
    return low;
  }

 private:
  const std::vector<double>& scores_;  // normal_scores(n)
  std::vector<std::size_t> starts_;    // of each run, then the column's length
};

// Every run, or, if there are too many, the fewest knots with scores as close together as max_knots allow. A
// long run (many zeros) is more than a step from its neighbours, so these become knots as well.
Knots rank_knots(const std::vector<float>& sorted, const std::vector<double>& scores) {
  const Runs runs(sorted, scores);
  std::vector<std::size_t> chosen;
  double step = (runs.score(runs.count() - 1) - runs.score(0)) / static_cast<double>(max_knots - 1);
  if (runs.count() <= max_knots) step = 0;
  do {
    chosen.assign(1, 0);
    while (chosen.back() + 1 < runs.count()) chosen.push_back(runs.next(chosen.back(), step));
    step *= 1.2;
  } while (chosen.size() > max_knots);

  Knots knots;
  for (const std::size_t run : chosen) {
    knots.values.push_back(sorted[runs.first(run)]);
    knots.scores.push_back(static_cast<float>(runs.score(run)));
  }
  return knots;
}

// The scores of up to eight values, one per column. Positions are found by branch-free halving, as the values
// are as good as random. With a constant count the loops become SIMD code.
MMO_INLINE void interpolate(float* x, std::size_t count, const float* values, const float* scores,
                            std::size_t knots) {
  std::array<float, lanes> value{};
  std::array<std::uint32_t, lanes> below{};  // the last knot that may be at most the value
  for (std::size_t v = 0; v < count; ++v) {
    value[v] = x[v];
    below[v] = static_cast<std::uint32_t>(v * knots);
  }
  for (std::size_t left = knots; left > 1;) {
    const auto half = static_cast<std::uint32_t>(left / 2);
    for (std::size_t v = 0; v < count; ++v) below[v] += values[below[v] + half] <= value[v] ? half : 0;
    left -= half;
  }
  const std::uint32_t next = knots > 1 ? 1 : 0;
  for (std::size_t v = 0; v < count; ++v) {
    // No knot follows the last one: its interval is the one before, clamped at its end.
    const std::uint32_t low = std::min(below[v], static_cast<std::uint32_t>((v + 1) * knots) - 1 - next);
    const double x0 = values[low];
    const double width = values[low + next] - x0;
    const double share = std::min(std::max((value[v] - x0) / (width > 0 ? width : 1.0), 0.0), 1.0);
    value[v] = static_cast<float>(scores[low] + share * (double{scores[low + next]} - double{scores[low]}));
  }
  for (std::size_t v = 0; v < count; ++v) x[v] = value[v];
}

}  // namespace

void fit_rank_gauss(const DenseMatrix& x, FeatureMap& map) {
  std::vector<Knots> columns(x.cols);
  const std::vector<double> scores = normal_scores(x.rows);
  for_columns(x, [&](std::size_t j, std::vector<float>& column) {
    sort_floats(column);
    columns[j] = rank_knots(column, scores);
  });
  for (const Knots& column : columns) map.knots = std::max(map.knots, column.values.size());
  for (Knots& column : columns) {
    column.values.resize(map.knots, column.values.back());
    column.scores.resize(map.knots, column.scores.back());
    map.knot_values.insert(map.knot_values.end(), column.values.begin(), column.values.end());
    map.knot_scores.insert(map.knot_scores.end(), column.scores.begin(), column.scores.end());
  }
}

// A few columns at a time: their knots stay in the first-level cache while the rows go by.
MMO_SIMD void apply_rank_gauss(const FeatureMap& map, DenseMatrix& x, std::size_t first, std::size_t last) {
  for (std::size_t j = 0; j < x.cols; j += lanes) {
    const float* values = map.knot_values.data() + j * map.knots;
    const float* scores = map.knot_scores.data() + j * map.knots;
    for (std::size_t i = first; i < last; ++i) {
      float* own = x.row(i).data() + j;
      if (j + lanes <= x.cols) {
        interpolate(own, lanes, values, scores, map.knots);
      } else {
        interpolate(own, x.cols - j, values, scores, map.knots);
      }
    }
  }
}

// Rational start (Abramowitz & Stegun 26.2.22, error < 3e−3) on the lower tail, then Newton steps on Φ.
double normal_quantile(double p) {
  assert(p > 0 && p < 1);
  if (p == 0.5) return 0;
  if (p > 0.5) return -normal_quantile(1 - p);
  const double t = std::sqrt(-2 * std::log(p));
  double x = (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t)) - t;
  for (int step = 0; step < 3; ++step) {
    const double error = 0.5 * std::erfc(-x / std::numbers::sqrt2) - p;
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
    x -= error / density;
  }
  return x;
}

}  // namespace mmo
