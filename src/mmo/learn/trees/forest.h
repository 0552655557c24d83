// Forests: many trees, each on its own draw of the rows, all labels in one tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mmo/core/table.h"
#include "mmo/eval/evaluate.h"
#include "mmo/learn/trees/forest_scorer.h"

namespace mmo {

struct ForestOptions {
  enum class Cuts : std::uint8_t { best, random };  // random forest, extra trees

  std::size_t trees = 500;
  Cuts cuts = Cuts::best;
  std::size_t columns_per_split = 0;  // 0 = √columns
  double min_leaf = 1;                // weight of a leaf's rows; up to 1 = no limit
  std::size_t depth = 0;              // 0 = until leaves are pure
  bool bootstrap = true;              // false: all rows in every tree, no out-of-bag scores
  std::uint64_t seed = 0;
};

// A bit for each tree and row: whether the tree was grown on it.
struct InBag {
  std::size_t words_per_tree = 0;
  std::vector<std::uint64_t> bits;

  [[nodiscard]] bool has(std::size_t tree, std::size_t row) const {
    return ((bits[tree * words_per_tree + row / 64] >> (row % 64)) & 1U) != 0;
  }
};

struct Forest {
  ForestScorer scorer;
  InBag in_bag;  // empty without bootstrap
};

// Rows of weight 0 are in no tree. The same for every number of threads and every order of the rows.
[[nodiscard]] Forest fit_forest(const Table& table, const Truth& truth, const ForestOptions& options);

// Adds to out the logits of rows first … last − 1 of the training table by the trees that have not seen them
// (a row that all trees saw gets the labels' frequencies).
void add_out_of_bag(const Forest& forest, const Table& table, std::size_t first, std::size_t last,
                    float* out);
// Of all rows.
[[nodiscard]] DenseMatrix out_of_bag(const Forest& forest, const Table& table);

}  // namespace mmo
