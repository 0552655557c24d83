#include "mmo/learn/trees/row_keys.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "mmo/core/parallel.h"

namespace mmo::trees {
namespace {

constexpr std::size_t rows_at_once = 1024;

// A sum over the row's contents: dense and sparse rows with equal values agree, zeros add nothing.
std::uint64_t entry_key(std::uint64_t kind, std::uint64_t index, float value) {
  const std::uint32_t bits = std::isnan(value) ? 0x7FC00000U : std::bit_cast<std::uint32_t>(value);
  return mix_bits((kind << 62U) ^ (index << 32U) ^ bits);
}

std::uint64_t features_key(const Features& x, std::size_t i) {
  std::uint64_t key = 0;
  if (const auto* dense = std::get_if<DenseMatrix>(&x)) {
    const auto row = dense->row(i);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row[k] != 0.0F) key += entry_key(0, k, row[k]);
    }
    return key;
  }
  const auto& sparse = std::get<CsrMatrix>(x);
  const auto columns = sparse.row_indices(i);
  const auto values = sparse.row_values(i);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (values[k] != 0.0F) key += entry_key(0, columns[k], values[k]);
  }
  return key;
}

std::uint64_t truth_key(const Truth& truth, std::size_t i) {
  std::uint64_t key = 0;
  for (const std::uint32_t j : truth.labels->row(i)) key += entry_key(1, j, 1.0F);
  if (truth.unknown != nullptr && truth.unknown->rows > 0) {
    for (const std::uint32_t j : truth.unknown->row(i)) key += entry_key(2, j, 1.0F);
  }
  return truth.row_weights.empty() ? key : key + entry_key(3, 0, truth.row_weights[i]);
}

}  // namespace

std::vector<std::uint64_t> row_keys(const Table& table, const Truth& truth) {
  const std::size_t n = truth.labels->rows;
  std::vector<std::uint64_t> keys(n);
  parallel_ranges(n, rows_at_once, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) keys[i] = features_key(table.values, i) + truth_key(truth, i);
  });
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  std::vector<std::uint64_t> out(n);
  std::uint64_t before = 0;
  for (std::size_t k = 0; k < n; ++k) {
    before = k > 0 && keys[order[k]] == keys[order[k - 1]] ? before + 1 : 0;
    out[order[k]] = mix_bits(keys[order[k]] + before * 0x9e3779b97f4a7c15ULL);
  }
  return out;
}

}  // namespace mmo::trees
