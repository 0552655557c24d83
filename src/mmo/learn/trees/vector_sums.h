// Split scores from sums of short vectors, eight numbers at a time: label counts if there are few labels, and
// the slopes of boosted trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/core/simd.h"

namespace mmo::trees {

// Positions order[first] … order[last − 1] of a node's rows move together.
struct Range {
  std::uint32_t first, last;
};

// The best boundary of a sweep: after which of the ranges.
struct Boundary {
  double score = -std::numeric_limits<double>::infinity();
  std::size_t after = 0;
};

// A vector and a weight per row.
struct RowVectors {
  std::size_t width = 0;       // a multiple of 8, at most 32
  std::vector<float> values;   // rows × width
  std::vector<float> ceiling;  // width: the most a row can have; empty = no bound
  float ridge = 0;             // added to each side's weight
  static constexpr std::size_t most = 32;
};

// With s the sum of a side's vectors, each times its row's `times`, and h the sum of its weights, the score
// of a split is
//   |s_left|² / (h_left + ridge) + |s_right|² / (h_right + ridge).
// For 0/1 vectors and times = weights it equals the score of label_counts.h.
class VectorSums {
 public:
  VectorSums(const RowVectors& vectors, std::span<const float> times, std::span<const float> weights);

  void enter(std::span<const std::uint32_t> rows);
  [[nodiscard]] bool pure() const { return !vectors_.ceiling.empty() && unsplit() >= perfect(); }
  [[nodiscard]] double perfect() const { return perfect_; }
  [[nodiscard]] double unsplit() const { return unsplit_; }
  [[nodiscard]] double total() const { return total_; }

  // Ranges move from one side to the other, in this order.
  [[nodiscard]] Boundary sweep(const std::uint32_t* order, std::span<const Range> ranges,
                               double min_leaf) const;
  // Rows with bins up to `cut` on one side.
  [[nodiscard]] double score_below(const std::uint8_t* bins, std::uint8_t cut, double min_leaf) const;

  // Orders categories by their sums along one vector of signs.
  void choose_lead(Random& random);
  [[nodiscard]] double lead_total() const;
  [[nodiscard]] double lead_sum(std::span<const std::uint32_t> positions) const;
  [[nodiscard]] double weight_of(std::span<const std::uint32_t> positions) const;

 private:
  const RowVectors& vectors_;
  std::span<const float> times_, weights_;
  // The node's rows in order: vectors and weights.
  std::vector<float> local_, local_weights_;
  std::vector<float> totals_, lead_;
  float total_ = 0;
  double unsplit_ = 0, perfect_ = 0;
  std::size_t rows_ = 0;
};

}  // namespace mmo::trees
