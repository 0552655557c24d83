// Boosted trees as a learner: a fit per fold, side by side; their mean is the scorer.
#pragma once

#include <string>

#include "mmo/learn/learner.h"
#include "mmo/learn/trees/boosting.h"

namespace mmo {

class BoostedLearner final : public Learner {
 public:
  explicit BoostedLearner(const BoostOptions& options) : options_(options) {}

  [[nodiscard]] std::string name() const override { return "boosted trees"; }
  [[nodiscard]] LearnerCost cost(const LearnerData& all, std::size_t searched_rows,
                                 std::size_t threads) const override;
  [[nodiscard]] DenseMatrix held_out(const LearnerData& searched) override;
  // What held_out() has fitted: on a sample of the rows where that saw one.
  [[nodiscard]] Scorer fit(const LearnerData& all) override;
  [[nodiscard]] nlohmann::json record() const override { return record_; }

 private:
  BoostOptions options_;
  ForestScorer scorer_;
  nlohmann::json record_ = nlohmann::json::object();
};

}  // namespace mmo
