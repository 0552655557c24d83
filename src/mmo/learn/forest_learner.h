// Forests as learners: random forests and extra trees, one tree for all labels. Held-out scores are those of
// the trees that have not seen a row, so that one forest serves both ends.
#pragma once

#include <string>

#include "mmo/learn/learner.h"
#include "mmo/learn/trees/forest.h"

namespace mmo {

class ForestLearner final : public Learner {
 public:
  explicit ForestLearner(const ForestOptions& options) : options_(options) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] LearnerCost cost(const LearnerData& all, std::size_t searched_rows,
                                 std::size_t threads) const override;
  [[nodiscard]] DenseMatrix held_out(const LearnerData& searched) override;
  [[nodiscard]] Scorer fit(const LearnerData& all) override;

 private:
  [[nodiscard]] DenseMatrix validation_scores(const LearnerData& data);
  [[nodiscard]] ForestOptions options_for(const Problem& problem, std::size_t rows) const;

  ForestOptions options_;
  const Problem* seen_ = nullptr;  // what the forest was grown on
  Forest forest_;
};

}  // namespace mmo
