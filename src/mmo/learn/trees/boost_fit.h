// One run of boosting on some of the rows: a tree per round, and the current scores of all rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/learn/trees/bins.h"
#include "mmo/learn/trees/boosting.h"
#include "mmo/learn/trees/grow_tree.h"
#include "mmo/learn/trees/leaves.h"
#include "mmo/learn/trees/vector_sums.h"

namespace mmo::trees {

// What the runs of all folds have in common.
struct BoostGround {
  const Table& table;
  const Truth& truth;
  const BoostOptions& options;
  Bins bins;
  std::vector<float> weights;  // of the rows
  GrowOptions grow;
};

class BoostFit {
 public:
  // `rows` are the rows it may learn from (ascending).
  BoostFit(const BoostGround& ground, std::vector<std::uint32_t> rows, std::uint64_t salt);

  void run(std::size_t rounds);
  [[nodiscard]] const DenseMatrix& scores() const { return scores_; }
  [[nodiscard]] const std::vector<float>& base() const { return base_; }
  // The first `count` trees, with their values times `share`.
  void add_trees(std::size_t count, float share, ForestBuilder& builder) const;

 private:
  struct Grown {
    Tree tree;
    Leaves leaves;
  };

  void start();
  void round();
  void descend_rows();
  void fill_vectors(Random& random);
  void step(std::span<const std::uint32_t> rows, Leaves& out);
  [[nodiscard]] std::vector<std::uint32_t> labels_that_gain(std::span<const float> descent,
                                                            std::span<const float> curvature) const;
  void move_scores(const Grown& grown);
  [[nodiscard]] float ridge(std::size_t j) const {
    return static_cast<float>(ground_.options.ridge) * mean_curvature_[j];
  }

  const BoostGround& ground_;
  std::size_t labels_;
  std::vector<std::uint32_t> rows_;
  std::uint64_t salt_;
  DenseMatrix scores_, descent_, curvature_;
  std::vector<float> base_, mean_curvature_;
  std::vector<float> ones_;
  RowVectors vectors_;
  std::vector<Grown> grown_;
};

}  // namespace mmo::trees
