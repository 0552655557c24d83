// Forests: many trees, each on its own draw of the rows, with all labels in every tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mmo/comm/communicator.h"
#include "mmo/core/table.h"
#include "mmo/eval/evaluate.h"
#include "mmo/learn/trees/forest_scorer.h"

namespace mmo {

struct ForestOptions {
  enum class Cuts : std::uint8_t { best, random };  // random forest, extra trees

  std::size_t trees = 500;
  Cuts cuts = Cuts::best;
  std::size_t columns_per_split = 0;  // 0 = about √columns
  double min_leaf = 1;                // weight of a leaf's rows; up to 1 = no limit
  // Least share of a node's weight on either side of a split. Without it, trees over many rare labels cut off
  // a few rows at a time: deep, slow, and the slower the more labels there are.
  double balance = 0.03;
  std::size_t depth = 0;          // 0 = until leaves are pure
  std::size_t rows_per_tree = 0;  // drawn on average; 0 = as many as there are rows
  bool bootstrap = true;          // false: all rows in every tree, no out-of-bag scores
  std::uint64_t seed = 0;
  Communicator* processes = &alone();  // that share the trees
};

// What `columns_per_split` comes to.
[[nodiscard]] std::size_t columns_per_split(const ForestOptions& options, std::size_t columns);
// Trees and rows per tree that keep time and file size in check for any number of rows: all rows and 500
// trees up to 3,000 rows, then fewer trees, then only part of the rows for each.
void suit_size(ForestOptions& options, std::size_t rows);

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

// Rows of weight 0 are in no tree. The result depends neither on threads nor on the order of the rows.
[[nodiscard]] Forest fit_forest(const Table& table, const Truth& truth, const ForestOptions& options);

// Adds to out the logits of rows first … last − 1 of the training table, from the trees that have not seen
// them (a row that every tree saw gets the labels' frequencies).
void add_out_of_bag(const Forest& forest, const Table& table, std::size_t first, std::size_t last,
                    float* out);
// For all rows, divided among the processes.
[[nodiscard]] DenseMatrix out_of_bag(const Forest& forest, const Table& table,
                                     Communicator& processes = alone());

}  // namespace mmo
