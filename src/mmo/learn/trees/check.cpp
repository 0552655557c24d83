#include <cmath>
#include <string>

#include "mmo/core/error.h"
#include "mmo/learn/trees/forest_scorer.h"

namespace mmo {
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw ModelError("the model's trees are damaged: " + what);
}

void check_offsets(const std::vector<std::uint32_t>& offsets, std::size_t end, const std::string& name) {
  require(!offsets.empty() && offsets.front() == 0 && offsets.back() == end,
          name + " do not cover their values");
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k)
    require(offsets[k] <= offsets[k + 1], name + " do not ascend at " + std::to_string(k));
}

void check_finite(const std::vector<float>& values, const std::string& name) {
  for (std::size_t k = 0; k < values.size(); ++k)
    require(std::isfinite(values[k]), name + " " + std::to_string(k) + " is not a finite number");
}

void check_leaves(const ForestScorer& scorer) {
  check_offsets(scorer.leaf_offsets, scorer.leaf_labels.size(), "leaf offsets");
  require(scorer.leaf_values.size() == scorer.leaf_labels.size(), "leaves have labels without values");
  for (std::size_t k = 0; k < scorer.leaf_labels.size(); ++k)
    require(scorer.leaf_labels[k] < scorer.labels, "leaf entry " + std::to_string(k) + " has no such label");
  check_finite(scorer.leaf_values, "leaf value");
  check_finite(scorer.base, "base value");
  require(scorer.base.size() == scorer.labels, "base values are not one per label");
  require(scorer.smoothing >= 0 && scorer.smoothing <= 1, "the smoothing is not between 0 and 1");
}

void check_split(const ForestScorer& scorer, std::size_t node, const std::string& at) {
  const std::uint32_t word = scorer.feature[node];
  const std::uint32_t column = word & trees::column_mask;
  require(column < scorer.columns, at + "no such column");
  if ((word & trees::nominal_flag) == 0) return;
  const std::uint32_t count = scorer.categories.empty() ? 0 : scorer.categories[column];
  require(count > 0, at + "the column has no categories");
  require(std::uint64_t{scorer.set[node]} + (std::uint64_t{count} + 31) / 32 <= scorer.set_words.size(),
          at + "its categories are out of range");
}

void check_tree(const ForestScorer& scorer, std::size_t tree) {
  const std::uint32_t first = scorer.roots[tree];
  const std::uint32_t size = scorer.roots[tree + 1] - first;
  require(size > 0, "tree " + std::to_string(tree) + " has no nodes");
  for (std::uint32_t k = 0; k < size; ++k) {
    const std::string at = "node " + std::to_string(k) + " of tree " + std::to_string(tree) + ": ";
    const std::uint32_t child = scorer.child[first + k];
    if (child == 0) {
      require(scorer.feature[first + k] < scorer.leaves(), at + "no such leaf");
      continue;
    }
    require(child > k && child < size - 1, at + "its children do not come after it");
    check_split(scorer, first + k, at);
  }
}

}  // namespace

void check(const ForestScorer& scorer) {
  const std::size_t nodes = scorer.child.size();
  require(scorer.feature.size() == nodes && scorer.threshold.size() == nodes,
          "arrays of nodes differ in length");
  require(scorer.categories.empty() || scorer.categories.size() == scorer.columns,
          "numbers of categories are not one per column");
  require(
      scorer.categories.empty() ? scorer.set.empty() && scorer.set_words.empty() : scorer.set.size() == nodes,
      "sets of categories are not one per node");
  check_offsets(scorer.roots, nodes, "roots");
  check_finite(scorer.threshold, "threshold");
  check_leaves(scorer);
  for (std::size_t tree = 0; tree < scorer.trees(); ++tree) check_tree(scorer, tree);
}

std::uint64_t bytes(const ForestScorer& scorer) {
  const std::uint64_t words = scorer.categories.size() + scorer.roots.size() + scorer.child.size() +
                              scorer.feature.size() + scorer.threshold.size() + scorer.set.size() +
                              scorer.set_words.size() + scorer.leaf_offsets.size() +
                              scorer.leaf_labels.size() + scorer.leaf_values.size() + scorer.base.size();
  return 4 * words;
}

}  // namespace mmo
