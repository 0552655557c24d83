#include "mmo/transform/feature_map.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/core/simd.h"
#include "mmo/transform/fast_asinh.h"

namespace mmo {
namespace {

using Kind = FeatureMap::Kind;

constexpr std::array<std::pair<Kind, const char*>, 7> kinds{{{Kind::identity, "identity"},
                                                             {Kind::standardise, "standardise"},
                                                             {Kind::arcsinh, "arcsinh"},
                                                             {Kind::rank_gauss, "rank-gauss"},
                                                             {Kind::l2_rows, "l2-rows"},
                                                             {Kind::idf_l2, "idf-l2"},
                                                             {Kind::sqrt_l2, "sqrt-l2"}}};

constexpr std::size_t max_knots = 256;      // a power of two: the ONNX graph searches them by halving
constexpr std::size_t rows_per_task = 256;  // fixed, so that results do not depend on threads
constexpr std::size_t cols_per_task = 16;   // a cache line of floats
// A spread below a few roundings of float32 is not a spread.
constexpr double constant_tolerance = 1e-6;

bool is_dense_kind(Kind kind) {
  return kind == Kind::standardise || kind == Kind::arcsinh || kind == Kind::rank_gauss;
}

DenseMatrix to_dense(const CsrMatrix& x) {
  DenseMatrix out(x.rows, x.cols);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const auto indices = x.row_indices(i);
    const auto values = x.row_values(i);
    for (std::size_t k = 0; k < indices.size(); ++k) out(i, indices[k]) = values[k];
  }
  return out;
}

// Calls fit(column index, a copy of its values) for every column, in parallel.
template <class Fit>
void for_columns(const DenseMatrix& x, const Fit& fit) {
  parallel_ranges(x.cols, cols_per_task, [&](std::size_t first, std::size_t last) {
    std::vector<std::vector<float>> columns(last - first, std::vector<float>(x.rows));
    for (std::size_t i = 0; i < x.rows; ++i) {
      for (std::size_t j = first; j < last; ++j) columns[j - first][i] = x(i, j);
    }
    for (std::size_t j = first; j < last; ++j) fit(j, columns[j - first]);
  });
}

struct Moments {
  double mean = 0, sd = 0;
};

Moments moments(const std::vector<float>& values) {
  double sum = 0;
  for (const float v : values) sum += v;
  const double mean = sum / static_cast<double>(values.size());
  double squares = 0;
  for (const float v : values) squares += (v - mean) * (v - mean);
  return {mean, std::sqrt(squares / static_cast<double>(values.size()))};
}

// 1 / spread, or 0 for a column that is constant up to rounding.
float inverse_spread(double spread, const std::vector<float>& column) {
  const auto [low, high] = std::minmax_element(column.begin(), column.end());
  const double largest = std::max(std::abs(double{*low}), std::abs(double{*high}));
  if (spread <= constant_tolerance * largest) return 0;
  const auto inverse = static_cast<float>(1.0 / spread);
  return std::isfinite(inverse) ? inverse : 0;
}

// Linear interpolation between order statistics (NumPy's default quantile). Moves the values around.
double quantile(std::vector<float>& values, double q) {
  const double position = q * static_cast<double>(values.size() - 1);
  const double share = position - std::floor(position);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(position);
  std::nth_element(values.begin(), below, values.end());
  const auto above = below + 1 == values.end() ? below : std::min_element(below + 1, values.end());
  return *below + share * (double{*above} - double{*below});
}

// asinh((x − centre)·scale) − offset for every value of a row and its own column's constants.
MMO_SIMD void asinh_row(float* __restrict row, std::size_t count, const float* centre, const float* scale,
                        const float* offset) {
  for (std::size_t j = 0; j < count; ++j)
    row[j] = static_cast<float>(fast_asinh((double{row[j]} - centre[j]) * scale[j])) - offset[j];
}

// The mean of asinh((x − centre)·scale) over one column.
MMO_SIMD double mean_asinh(std::vector<float>& column, double centre, double scale) {
  for (float& v : column) v = static_cast<float>(fast_asinh((v - centre) * scale));
  double sum = 0;
  for (const float v : column) sum += v;
  return sum / static_cast<double>(column.size());
}

void fit_standardise(const DenseMatrix& x, FeatureMap& map) {
  map.centre.resize(x.cols);
  map.scale.resize(x.cols);
  for_columns(x, [&](std::size_t j, const std::vector<float>& column) {
    const Moments m = moments(column);
    map.centre[j] = static_cast<float>(m.mean);
    map.scale[j] = inverse_spread(m.sd, column);
  });
}

// A column whose middle half is one value (IQR 0) is scaled by its standard deviation instead.
void fit_arcsinh(const DenseMatrix& x, FeatureMap& map) {
  map.centre.resize(x.cols);
  map.scale.resize(x.cols);
  map.offset.resize(x.cols);
  for_columns(x, [&](std::size_t j, std::vector<float>& column) {
    map.centre[j] = static_cast<float>(quantile(column, 0.5));
    const double iqr = quantile(column, 0.75) - quantile(column, 0.25);
    map.scale[j] = inverse_spread(iqr / 1.35, column);
    if (map.scale[j] == 0) map.scale[j] = inverse_spread(moments(column).sd, column);
    map.offset[j] = static_cast<float>(mean_asinh(column, map.centre[j], map.scale[j]));
  });
}

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
        low + 1;  // score(low) may pass the limit; that of `high` does once both have galloped there
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

// Every run, or, if there are too many, the fewest whose scores are as near as max_knots allow. Neighbours of
// a long run (many zeros) are more than a step away from it and so become knots of their own.
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

void fit_rank_gauss(const DenseMatrix& x, FeatureMap& map) {
  std::vector<Knots> columns(x.cols);
  const std::vector<double> scores = normal_scores(x.rows);
  for_columns(x, [&](std::size_t j, std::vector<float>& column) {
    std::sort(column.begin(), column.end());
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

// log((1 + n) / (1 + df)) + 1, df = rows in which the column is not zero.
void fit_idf(const Features& x, FeatureMap& map) {
  std::vector<std::uint64_t> df(feature_cols(x), 0);
  if (const auto* sparse = std::get_if<CsrMatrix>(&x)) {
    for (std::size_t k = 0; k < sparse->indices.size(); ++k) {
      if (sparse->values[k] != 0) ++df[sparse->indices[k]];
    }
  } else {
    const auto& dense = std::get<DenseMatrix>(x);
    for (std::size_t i = 0; i < dense.rows; ++i) {
      const auto row = dense.row(i);
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (row[j] != 0) ++df[j];
      }
    }
  }
  const auto n = static_cast<double>(feature_rows(x));
  for (const std::uint64_t count : df) {
    map.scale.push_back(static_cast<float>(std::log((1 + n) / (1 + static_cast<double>(count))) + 1));
  }
}

// Positions are found by halving without branches: the values are as good as random.
MMO_INLINE float interpolate(float x, const float* values, const float* scores, std::size_t count) {
  std::size_t below = 0;  // the last value that may be at most x
  for (std::size_t left = count; left > 1;) {
    const std::size_t half = left / 2;
    below += half * static_cast<std::size_t>(values[below + half] <= x);
    left -= half;
  }
  const std::size_t above = std::min(below + 1, count - 1);
  const double x0 = values[below];
  const double width = values[above] - x0;
  const double share = width > 0 ? std::clamp((x - x0) / width, 0.0, 1.0) : 0.0;  // clamped outside the knots
  return static_cast<float>(scores[below] + share * (double{scores[above]} - double{scores[below]}));
}

// A few columns at a time: their knots stay in the first-level cache while the rows pass.
MMO_SIMD void rank_rows(const FeatureMap& map, DenseMatrix& x, std::size_t first, std::size_t last) {
  for (std::size_t left = 0; left < x.cols; left += cols_per_task) {
    const std::size_t right = std::min(x.cols, left + cols_per_task);
    for (std::size_t i = first; i < last; ++i) {
      float* row = x.row(i).data();
      for (std::size_t j = left; j < right; ++j) {
        row[j] = interpolate(row[j], map.knot_values.data() + j * map.knots,
                             map.knot_scores.data() + j * map.knots, map.knots);
      }
    }
  }
}

void apply_dense_kind(const FeatureMap& map, DenseMatrix& x) {
  parallel_ranges(x.rows, rows_per_task, [&](std::size_t first, std::size_t last) {
    if (map.kind == Kind::rank_gauss) {
      rank_rows(map, x, first, last);
      return;
    }
    for (std::size_t i = first; i < last; ++i) {
      const auto row = x.row(i);
      if (map.kind == Kind::arcsinh) {
        asinh_row(row.data(), row.size(), map.centre.data(), map.scale.data(), map.offset.data());
        continue;
      }
      for (std::size_t j = 0; j < row.size(); ++j)
        row[j] = static_cast<float>((double{row[j]} - double{map.centre[j]}) * double{map.scale[j]});
    }
  });
}

// weight(position) gives the idf of the position's column; rows end with length 1, empty rows stay empty.
template <class Weight>
void apply_row_kind(Kind kind, std::span<float> row, const Weight& weight) {
  double squares = 0;
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (kind == Kind::idf_l2) row[k] *= weight(k);
    if (kind == Kind::sqrt_l2) row[k] = std::copysign(std::sqrt(std::abs(row[k])), row[k]);
    squares += double{row[k]} * double{row[k]};
  }
  if (squares == 0) return;
  const double factor = 1.0 / std::sqrt(squares);
  for (float& value : row) value = static_cast<float>(value * factor);
}

}  // namespace

std::string kind_name(Kind kind) {
  return std::find_if(kinds.begin(), kinds.end(), [&](const auto& entry) { return entry.first == kind; })
      ->second;
}

Kind parse_feature_map(const std::string& name) {
  std::string candidates;
  for (const auto& [kind, known] : kinds) {
    if (name == known) return kind;
    candidates += (candidates.empty() ? "" : ", ") + std::string(known);
  }
  throw UsageError("unknown feature map '" + name + "'; known: " + candidates);
}

FeatureMap fit_feature_map(Kind kind, const Features& x) {
  assert(feature_rows(x) > 0);
  FeatureMap map;
  map.kind = kind;
  if (kind == Kind::idf_l2) fit_idf(x, map);
  if (!is_dense_kind(kind)) return map;

  DenseMatrix unpacked;
  if (const auto* sparse = std::get_if<CsrMatrix>(&x)) unpacked = to_dense(*sparse);
  const DenseMatrix& dense = std::holds_alternative<DenseMatrix>(x) ? std::get<DenseMatrix>(x) : unpacked;
  if (kind == Kind::standardise) fit_standardise(dense, map);
  if (kind == Kind::arcsinh) fit_arcsinh(dense, map);
  if (kind == Kind::rank_gauss) fit_rank_gauss(dense, map);
  return map;
}

Features FeatureMap::apply(const Features& x) const {
  if (kind == Kind::identity) return x;
  const auto* sparse = std::get_if<CsrMatrix>(&x);
  if (is_dense_kind(kind)) {
    DenseMatrix out = sparse != nullptr ? to_dense(*sparse) : std::get<DenseMatrix>(x);
    apply_dense_kind(*this, out);
    return out;
  }
  if (sparse != nullptr) {
    CsrMatrix out = *sparse;
    parallel_ranges(out.rows, rows_per_task, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const auto columns = out.row_indices(i);
        apply_row_kind(kind, {out.values.data() + out.offsets[i], columns.size()},
                       [&](std::size_t k) { return scale[columns[k]]; });
      }
    });
    return out;
  }
  DenseMatrix out = std::get<DenseMatrix>(x);
  parallel_ranges(out.rows, rows_per_task, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      apply_row_kind(kind, out.row(i), [&](std::size_t k) { return scale[k]; });
    }
  });
  return out;
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
