#include "mmo/learn/trees/vector_sums.h"

#include <algorithm>
#include <array>
#include <bit>

namespace mmo::trees {
namespace {

constexpr double rounding = 1e-6;

// What a kernel reads from a node.
struct Node {
  const float* vectors;
  const float* weights;
  const float* totals;
  float total, ridge;
};

using Words = IntegersOf<Vec8>::Words;

struct Best {
  float score;
  std::size_t after;
};

MMO_INLINE float sum_of(const Vec8& v) {
  using Vec4 = float __attribute__((vector_size(16)));
  const Vec4 half = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
  const Vec4 quarter = half + __builtin_shufflevector(half, half, 2, 3, 0, 1);
  return quarter[0] + quarter[1];
}

template <std::size_t blocks>
MMO_INLINE float score(const Node& node, const std::array<Vec8, blocks>& sums, float weight) {
  const float left = weight + node.ridge;
  const float right = node.total - weight + node.ridge;
  const float scale = 1 / (left * right);
  const float of_left = right * scale;
  const float of_right = left * scale;
  Vec8 squares{};
  for (std::size_t b = 0; b < blocks; ++b) {
    const Vec8 rest = load8(node.totals + 8 * b) - sums[b];
    squares += sums[b] * sums[b] * of_left + rest * rest * of_right;
  }
  return sum_of(squares);
}

template <std::size_t blocks>
MMO_INLINE Best sweep_blocks(const Node& node, const std::uint32_t* order, std::span<const Range> ranges,
                             float min_leaf) {
  std::array<Vec8, blocks> sums{};
  float weight = 0;
  Best best{-std::numeric_limits<float>::infinity(), 0};
  for (std::size_t g = 0; g < ranges.size(); ++g) {
    for (std::uint32_t k = ranges[g].first; k < ranges[g].last; ++k) {
      const std::size_t row = order[k];
      for (std::size_t b = 0; b < blocks; ++b) sums[b] += load8(node.vectors + row * 8 * blocks + 8 * b);
      weight += node.weights[row];
    }
    if (std::min(weight, node.total - weight) < min_leaf) continue;
    const float here = score<blocks>(node, sums, weight);
    if (here > best.score) best = {here, g};
  }
  return best;
}

template <std::size_t blocks>
MMO_INLINE float below_blocks(const Node& node, const std::uint8_t* bins, std::size_t rows, std::uint8_t cut,
                              float min_leaf) {
  std::array<Vec8, blocks> sums{};
  float weight = 0;
  for (std::size_t k = 0; k < rows; ++k) {
    const std::uint32_t mask =
        -static_cast<std::uint32_t>(bins[k] <= cut);  // branch-free: chance can't be predicted
    for (std::size_t b = 0; b < blocks; ++b) {
      const auto v = std::bit_cast<Words>(load8(node.vectors + k * 8 * blocks + 8 * b));
      sums[b] += std::bit_cast<Vec8>(v & mask);
    }
    weight += std::bit_cast<float>(std::bit_cast<std::uint32_t>(node.weights[k]) & mask);
  }
  if (std::min(weight, node.total - weight) < min_leaf) return -std::numeric_limits<float>::infinity();
  return score<blocks>(node, sums, weight);
}

// One version per instruction set, so they can't be templates.
using Order = const std::uint32_t*;
using Ranges = std::span<const Range>;
using BinBytes = const std::uint8_t*;
MMO_SIMD Best sweep_8(const Node& a, Order b, Ranges c, float d) { return sweep_blocks<1>(a, b, c, d); }
MMO_SIMD Best sweep_16(const Node& a, Order b, Ranges c, float d) { return sweep_blocks<2>(a, b, c, d); }
MMO_SIMD Best sweep_24(const Node& a, Order b, Ranges c, float d) { return sweep_blocks<3>(a, b, c, d); }
MMO_SIMD Best sweep_32(const Node& a, Order b, Ranges c, float d) { return sweep_blocks<4>(a, b, c, d); }
MMO_SIMD float below_8(const Node& a, BinBytes b, std::size_t n, std::uint8_t c, float d) {
  return below_blocks<1>(a, b, n, c, d);
}
MMO_SIMD float below_16(const Node& a, BinBytes b, std::size_t n, std::uint8_t c, float d) {
  return below_blocks<2>(a, b, n, c, d);
}
MMO_SIMD float below_24(const Node& a, BinBytes b, std::size_t n, std::uint8_t c, float d) {
  return below_blocks<3>(a, b, n, c, d);
}
MMO_SIMD float below_32(const Node& a, BinBytes b, std::size_t n, std::uint8_t c, float d) {
  return below_blocks<4>(a, b, n, c, d);
}
constexpr std::array sweeps{sweep_8, sweep_16, sweep_24, sweep_32};
constexpr std::array belows{below_8, below_16, below_24, below_32};

// Copies the node's vectors, times their factors, side by side; their sum goes to totals.
MMO_SIMD void copy_rows(const float* vectors, std::size_t width, std::span<const std::uint32_t> rows,
                        const float* times, float* out, float* totals) {
  for (const std::uint32_t i : rows) {
    const float factor = times[i];
    for (std::size_t b = 0; b < width; b += 8) {
      const Vec8 v = factor * load8(vectors + i * width + b);
      store8(out + b, v);
      store8(totals + b, load8(totals + b) + v);
    }
    out += width;
  }
}

}  // namespace

VectorSums::VectorSums(const RowVectors& vectors, std::span<const float> times,
                       std::span<const float> weights)
    : vectors_(vectors), times_(times), weights_(weights), totals_(vectors.width), lead_(vectors.width) {}

void VectorSums::enter(std::span<const std::uint32_t> rows) {
  rows_ = rows.size();
  if (local_weights_.size() < rows_) {
    local_.resize(rows_ * vectors_.width);
    local_weights_.resize(rows_);
  }
  total_ = 0;
  for (std::size_t k = 0; k < rows_; ++k) {
    local_weights_[k] = weights_[rows[k]];
    total_ += local_weights_[k];
  }
  std::fill(totals_.begin(), totals_.end(), 0.0F);
  copy_rows(vectors_.values.data(), vectors_.width, rows, times_.data(), local_.data(), totals_.data());
  double squares = 0;
  double mass = 0;
  for (std::size_t j = 0; j < vectors_.width; ++j) {
    squares += static_cast<double>(totals_[j]) * totals_[j];
    if (!vectors_.ceiling.empty()) mass += static_cast<double>(totals_[j]) * vectors_.ceiling[j];
  }
  unsplit_ = squares / (static_cast<double>(total_) + vectors_.ridge);
  perfect_ = vectors_.ceiling.empty() ? std::numeric_limits<double>::infinity() : (1 - rounding) * mass;
}

Boundary VectorSums::sweep(const std::uint32_t* order, std::span<const Range> ranges, double min_leaf) const {
  const Node node{local_.data(), local_weights_.data(), totals_.data(), total_, vectors_.ridge};
  const Best best = sweeps[vectors_.width / 8 - 1](node, order, ranges, static_cast<float>(min_leaf));
  return {best.score, best.after};
}

double VectorSums::score_below(const std::uint8_t* bins, std::uint8_t cut, double min_leaf) const {
  const Node node{local_.data(), local_weights_.data(), totals_.data(), total_, vectors_.ridge};
  return belows[vectors_.width / 8 - 1](node, bins, rows_, cut, static_cast<float>(min_leaf));
}

void VectorSums::choose_lead(Random& random) {
  std::uint64_t signs = random.next();
  for (float& sign : lead_) {
    sign = (signs & 1U) != 0 ? 1.0F : -1.0F;
    signs >>= 1U;
  }
}

double VectorSums::lead_total() const {
  double sum = 0;
  for (std::size_t j = 0; j < lead_.size(); ++j) sum += lead_[j] * totals_[j];
  return sum;
}

double VectorSums::lead_sum(std::span<const std::uint32_t> positions) const {
  double sum = 0;
  for (const std::size_t k : positions) {
    for (std::size_t j = 0; j < lead_.size(); ++j) sum += lead_[j] * local_[k * lead_.size() + j];
  }
  return sum;
}

double VectorSums::weight_of(std::span<const std::uint32_t> positions) const {
  double sum = 0;
  for (const std::size_t k : positions) sum += local_weights_[k];
  return sum;
}

}  // namespace mmo::trees
