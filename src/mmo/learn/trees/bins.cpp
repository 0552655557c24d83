#include "mmo/learn/trees/bins.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "mmo/core/parallel.h"
#include "mmo/core/simd.h"
#include "mmo/core/sort_floats.h"

namespace mmo::trees {
namespace {

constexpr std::size_t columns_at_once = 16;  // of a dense table, per walk over the rows
constexpr std::size_t dense_share = 8;       // columns with less than 1/8 of other values are lists

// The values of a column that are written down; the other `zeros` rows hold 0.
struct RawColumn {
  std::vector<std::uint32_t> rows;  // empty = all rows
  std::vector<float> values;
};

struct Weighted {
  float value;
  double weight;
};

// The distinct values with their weights, ascending.
std::vector<Weighted> distinct_values(const RawColumn& raw, std::size_t n, std::span<const float> weights) {
  std::vector<Weighted> out;
  const auto add = [&](float value, double weight) {
    if (!out.empty() && out.back().value == value) {
      out.back().weight += weight;
    } else {
      out.push_back({value, weight});
    }
  };
  double zeros = static_cast<double>(n - raw.values.size());
  if (weights.empty()) {
    std::vector<float> known;
    known.reserve(raw.values.size());
    for (const float x : raw.values) {
      if (!std::isnan(x)) known.push_back(x == 0.0F ? 0.0F : x);  // −0 is 0
    }
    sort_floats(known);
    for (const float x : known) add(x, 1.0);
  } else {
    std::vector<Weighted> known;
    zeros = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t k = 0; k < raw.values.size(); ++k) {
      const double weight = weights[raw.rows.empty() ? k : raw.rows[k]];
      zeros -= weight;
      if (!std::isnan(raw.values[k])) known.push_back({raw.values[k], weight});
    }
    std::sort(known.begin(), known.end(), [](auto a, auto b) { return a.value < b.value; });
    for (const Weighted& each : known) add(each.value, each.weight);
  }
  if (raw.values.size() == n) return out;
  const auto at = std::lower_bound(out.begin(), out.end(), 0.0F, [](auto a, float x) { return a.value < x; });
  if (at != out.end() && at->value == 0.0F) {
    at->weight += zeros;
  } else {
    out.insert(at, {0.0F, zeros});
  }
  return out;
}

// low ≤ cut < high, halfway if floats allow.
float cut_between(float low, float high) {
  const auto middle = static_cast<float>(low + (static_cast<double>(high) - low) / 2);
  return std::isfinite(middle) && middle < high ? middle : low;
}

// One bin per value, or bins of about equal weight: each takes its share of what remains, so a heavy value
// does not starve the bins above it.
std::vector<float> make_cuts(const std::vector<Weighted>& values) {
  std::vector<float> cuts;
  double left = 0;
  for (const Weighted& each : values) left += each.weight;
  double held = 0;
  for (std::size_t k = 0; k + 1 < values.size(); ++k) {
    held += values[k].weight;
    const auto bins_left = static_cast<double>(most_bins - cuts.size());
    const bool full = values.size() <= most_bins || held >= left / bins_left;
    if (!full || cuts.size() + 1 == most_bins) continue;
    cuts.push_back(cut_between(values[k].value, values[k + 1].value));
    left -= held;
    held = 0;
  }
  return cuts;
}

// The most frequent categories; ties go to the lower index.
std::vector<std::uint32_t> frequent_categories(const std::vector<Weighted>& values) {
  std::vector<Weighted> kept;
  for (const Weighted& each : values) {
    if (each.value >= 0) kept.push_back(each);
  }
  if (kept.size() > most_bins) {
    std::stable_sort(kept.begin(), kept.end(), [](auto a, auto b) { return a.weight > b.weight; });
    kept.resize(most_bins);
  }
  std::vector<std::uint32_t> out;
  for (const Weighted& each : kept) out.push_back(static_cast<std::uint32_t>(each.value));
  std::sort(out.begin(), out.end());
  return out;
}

std::uint8_t bin_of(const BinnedColumn& column, float x) {
  if (std::isnan(x)) return missing_bin;
  if (!column.nominal) {
    const auto at = std::lower_bound(column.cuts.begin(), column.cuts.end(), x);
    return static_cast<std::uint8_t>(at - column.cuts.begin());
  }
  const auto& known = column.category;
  const auto at = std::lower_bound(known.begin(), known.end(), x, [](std::uint32_t c, float value) {
    return static_cast<float>(c) < value;
  });
  if (at == known.end() || static_cast<float>(*at) != x) return missing_bin;
  return static_cast<std::uint8_t>(at - known.begin());
}

BinnedColumn make_column(const RawColumn& raw, std::size_t n, bool nominal, std::span<const float> weights) {
  BinnedColumn out;
  out.nominal = nominal;
  const auto values = distinct_values(raw, n, weights);
  if (nominal) {
    out.category = frequent_categories(values);
  } else {
    out.cuts = make_cuts(values);
  }
  const bool listed = raw.values.size() < n;
  out.usual_bin = listed ? bin_of(out, 0.0F) : bin_of(out, raw.values.empty() ? 0.0F : raw.values[0]);
  out.sparse = listed && raw.values.size() * dense_share < n;
  if (!out.sparse) out.bins.assign(n, out.usual_bin);
  for (std::size_t k = 0; k < raw.values.size(); ++k) {
    const std::uint8_t bin = bin_of(out, raw.values[k]);
    if (bin == out.usual_bin) continue;
    out.varies = true;
    if (out.sparse) {
      out.rows.push_back(raw.rows[k]);
      out.bins.push_back(bin);
    } else {
      out.bins[listed ? raw.rows[k] : k] = bin;
    }
  }
  return out;
}

void bin_dense(const DenseMatrix& x, const Table& table, std::span<const float> weights, Bins& out) {
  parallel_ranges(x.cols, columns_at_once, [&](std::size_t first, std::size_t last) {
    std::array<RawColumn, columns_at_once> raw;
    for (std::size_t k = first; k < last; ++k) raw[k - first].values.resize(x.rows);
    for (std::size_t i = 0; i < x.rows; ++i) {
      const auto row = x.row(i);
      for (std::size_t k = first; k < last; ++k) raw[k - first].values[i] = row[k];
    }
    for (std::size_t k = first; k < last; ++k)
      out.columns[k] = make_column(raw[k - first], x.rows, table.nominal(k), weights);
  });
}

void bin_sparse(const CsrMatrix& x, const Table& table, std::span<const float> weights, Bins& out) {
  std::vector<RawColumn> raw(x.cols);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const auto columns = x.row_indices(i);
    const auto values = x.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      raw[columns[k]].rows.push_back(static_cast<std::uint32_t>(i));
      raw[columns[k]].values.push_back(values[k]);
    }
  }
  parallel_ranges(x.cols, columns_at_once, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k)
      out.columns[k] = make_column(raw[k], x.rows, table.nominal(k), weights);
  });
}

MMO_SIMD BinRange range_of(const std::uint8_t* bins, std::size_t count) {
  BinRange range;
  for (std::size_t k = 0; k < count; ++k) {
    range.low = std::min(range.low, bins[k]);
    range.high = std::max(range.high, bins[k]);
  }
  return range;
}

}  // namespace

BinRange gather_bins(const BinnedColumn& column, std::span<const std::uint32_t> rows, std::uint8_t* out) {
  const std::uint8_t* __restrict__ from = column.bins.data();
  std::uint8_t* __restrict__ to = out;
  for (std::size_t k = 0; k < rows.size(); ++k) to[k] = from[rows[k]];
  return range_of(to, rows.size());
}

Bins make_bins(const Table& table, std::span<const float> row_weights) {
  Bins out;
  out.rows = feature_rows(table.values);
  out.columns.resize(feature_cols(table.values));
  if (const auto* dense = std::get_if<DenseMatrix>(&table.values)) {
    bin_dense(*dense, table, row_weights, out);
  } else {
    bin_sparse(std::get<CsrMatrix>(table.values), table, row_weights, out);
  }
  return out;
}

}  // namespace mmo::trees
