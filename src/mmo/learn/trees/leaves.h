// What leaves hold: labels and values; equal leaves are stored once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "mmo/eval/evaluate.h"
#include "mmo/learn/trees/forest_scorer.h"
#include "mmo/learn/trees/tree.h"

namespace mmo::trees {

// The leaves of one tree.
struct Leaves {
  std::vector<std::uint32_t> offsets{0};
  std::vector<std::uint32_t> labels;
  std::vector<float> values;
  std::vector<std::uint64_t> hashes;

  // Closes the leaf whose labels and values were appended and returns its index.
  std::uint32_t close();
};

// Shares of the labels among a leaf's rows, ignoring unknown cells, as multiples of 1/4095: shares below half
// of that vanish, and more leaves come out equal.
class ShareLeaves {
 public:
  // `weights` of all rows in this tree; `prior` of each label, for leaves without a known cell of it.
  ShareLeaves(const Truth& truth, std::span<const float> weights, std::span<const float> prior);
  void add(std::span<const std::uint32_t> rows, Leaves& out);

 private:
  void count(const LabelMatrix& cells, std::span<const std::uint32_t> rows, std::vector<double>& counts);

  const Truth& truth_;
  std::span<const float> weights_, prior_;
  std::vector<double> present_, unknown_;  // per label
  std::vector<char> seen_;
  std::vector<std::uint32_t> labels_;  // with a non-zero count
};

// Joins trees into one scorer, in the order of the calls.
class ForestBuilder {
 public:
  explicit ForestBuilder(ForestScorer& scorer);
  void add(const Tree& tree, const Leaves& leaves);

 private:
  std::uint32_t leaf(const Leaves& leaves, std::size_t k);

  ForestScorer& scorer_;
  std::unordered_map<std::uint64_t, std::uint32_t> leaf_of_hash_;
};

}  // namespace mmo::trees
