#include "mmo/learn/kernel/content_order.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "mmo/core/parallel.h"

namespace mmo {
namespace {

constexpr std::size_t rows_per_task = 1024;

std::uint64_t hash_row(std::span<const float> row) {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  for (const float value : row) {
    hash = (hash ^ std::bit_cast<std::uint32_t>(value + 0.0F)) * 0xff51afd7ed558ccdULL;  // −0 becomes 0
    hash ^= hash >> 32U;
  }
  return hash * 0xc4ceb9fe1a85ec53ULL;
}

}  // namespace

ContentOrder content_order(const DenseMatrix& x) {
  std::vector<std::uint64_t> hashes(x.rows);
  parallel_ranges(x.rows, rows_per_task, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) hashes[i] = hash_row(x.row(i));
  });
  ContentOrder out;
  out.rows.resize(x.rows);
  std::iota(out.rows.begin(), out.rows.end(), 0U);
  std::sort(out.rows.begin(), out.rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return hashes[a] != hashes[b] ? hashes[a] < hashes[b] : a < b;
  });
  for (const std::uint32_t i : out.rows) {
    if (out.unique.empty() || hashes[i] != hashes[out.unique.back()]) out.unique.push_back(i);
  }
  return out;
}

}  // namespace mmo
