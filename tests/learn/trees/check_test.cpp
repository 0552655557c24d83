#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "learn/trees/tables.h"
#include "mmo/core/error.h"
#include "mmo/learn/trees/forest.h"

namespace mmo {
namespace {

ForestScorer healthy() {
  const Sample sample = random_sample({.rows = 60, .columns = 3, .categories = 40}, 1);
  ForestOptions options;
  options.trees = 3;
  return fit_forest(sample.table, sample.truth(), options).scorer;
}

std::size_t inner_node(const ForestScorer& scorer, bool nominal) {
  for (std::size_t k = 0; k < scorer.child.size(); ++k) {
    if (scorer.child[k] != 0 && ((scorer.feature[k] & trees::nominal_flag) != 0) == nominal) return k;
  }
  throw std::logic_error("no such node");
}

TEST(CheckTrees, AcceptsWhatTrainingMakes) { EXPECT_NO_THROW(check(healthy())); }

TEST(CheckTrees, RejectsDamagedArrays) {
  const std::vector<std::pair<const char*, std::function<void(ForestScorer&)>>> damages = {
      {"a child before its parent",
       [](auto& s) { s.child[s.child[0]] = s.child[s.child[0]] != 0 ? 1 : 0, s.child[1] = 1; }},
      {"a child outside the tree", [](auto& s) { s.child[0] = s.roots[1] - 1; }},
      {"a child far away", [](auto& s) { s.child[0] = 0xFFFFFFFF; }},
      {"no such column", [](auto& s) { s.feature[inner_node(s, false)] = 3; }},
      {"a number with categories", [](auto& s) { s.feature[inner_node(s, false)] |= trees::nominal_flag; }},
      {"words out of range",
       [](auto& s) { s.set[inner_node(s, true)] = static_cast<std::uint32_t>(s.set_words.size()) - 1; }},
      {"words far away", [](auto& s) { s.set[inner_node(s, true)] = 0xFFFFFFFF; }},
      {"no such leaf", [](auto& s) { s.feature.back() = static_cast<std::uint32_t>(s.leaves()); }},
      {"no such label", [](auto& s) { s.leaf_labels[0] = 3; }},
      {"a NaN leaf", [](auto& s) { s.leaf_values[0] = missing_value; }},
      {"an infinite threshold", [](auto& s) { s.threshold[0] = std::numeric_limits<float>::infinity(); }},
      {"a NaN base", [](auto& s) { s.base[0] = missing_value; }},
      {"too few bases", [](auto& s) { s.base.pop_back(); }},
      {"roots that do not ascend", [](auto& s) { std::swap(s.roots[1], s.roots[2]); }},
      {"roots beyond the nodes", [](auto& s) { s.roots.back() += 1; }},
      {"an empty tree", [](auto& s) { s.roots[1] = 0; }},
      {"leaf offsets that do not ascend", [](auto& s) { s.leaf_offsets[1] = 0xFFFFFFFF; }},
      {"leaf values missing", [](auto& s) { s.leaf_values.pop_back(); }},
      {"thresholds missing", [](auto& s) { s.threshold.pop_back(); }},
      {"categories missing", [](auto& s) { s.categories.pop_back(); }},
      {"sets missing", [](auto& s) { s.set.pop_back(); }},
      {"no offsets", [](auto& s) { s.leaf_offsets.clear(); }},
      {"a wild smoothing", [](auto& s) { s.smoothing = missing_value; }},
  };
  for (const auto& [name, damage] : damages) {
    ForestScorer scorer = healthy();
    damage(scorer);
    EXPECT_THROW(check(scorer), ModelError) << name;
  }
}

}  // namespace
}  // namespace mmo
