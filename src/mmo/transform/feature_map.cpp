#include "mmo/transform/feature_map.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/core/simd.h"
#include "mmo/core/sort_floats.h"
#include "mmo/transform/fast_asinh.h"
#include "mmo/transform/for_columns.h"
#include "mmo/transform/rank_gauss.h"

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

constexpr std::size_t rows_per_task = 256;  // fixed, so that results do not depend on threads
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

// Linear interpolation between order statistics (NumPy's default quantile).
double quantile(const std::vector<float>& sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - std::floor(position)) * (double{sorted[above]} - double{sorted[below]});
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
    sort_floats(column);
    map.centre[j] = static_cast<float>(quantile(column, 0.5));
    const double iqr = quantile(column, 0.75) - quantile(column, 0.25);
    map.scale[j] = inverse_spread(iqr / 1.35, column);
    if (map.scale[j] == 0) map.scale[j] = inverse_spread(moments(column).sd, column);
    map.offset[j] = static_cast<float>(mean_asinh(column, map.centre[j], map.scale[j]));
  });
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

void apply_dense_kind(const FeatureMap& map, DenseMatrix& x) {
  parallel_ranges(x.rows, rows_per_task, [&](std::size_t first, std::size_t last) {
    if (map.kind == Kind::rank_gauss) {
      apply_rank_gauss(map, x, first, last);
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
  const auto* sparse = std::get_if<CsrMatrix>(&x);
  if (kind == Kind::identity) return sparse != nullptr ? share(x) : x;
  if (is_dense_kind(kind)) {
    DenseMatrix out = sparse != nullptr ? to_dense(*sparse) : std::get<DenseMatrix>(x);
    apply_dense_kind(*this, out);
    return out;
  }
  if (sparse != nullptr) {
    // What is read from a file where it lies stays there.
    CsrMatrix out{sparse->rows, sparse->cols, sparse->offsets, sparse->indices.share(), sparse->values};
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

}  // namespace mmo
