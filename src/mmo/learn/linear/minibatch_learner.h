// Linear models trained by mini-batch Adam, as a learner.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mmo/core/progress.h"
#include "mmo/learn/learner.h"
#include "mmo/learn/linear/minibatch_fit.h"
#include "mmo/metric/metric.h"

namespace mmo {

struct MiniBatchOptions {
  MiniBatch loss = MiniBatch::ema;
  std::vector<FeatureMap::Kind> dense_maps, sparse_maps;
  std::size_t screened_labels = 32;  // at most so many labels choose the map
  Criterion criterion;               // what chooses the number of steps
  Metric metric;                     // λ's, and which F1 sigmoidF1 smooths
  std::uint64_t seed = 0;
};

// held_out() trains the folds and the model at once: fit() takes the same rows.
class MiniBatchLearner : public Learner {
 public:
  MiniBatchLearner(MiniBatchOptions options, Progress progress);

  [[nodiscard]] std::string name() const override { return "linear, mini-batch"; }
  [[nodiscard]] LearnerCost cost(const LearnerData& all, std::size_t searched_rows,
                                 std::size_t threads) const override;
  [[nodiscard]] DenseMatrix held_out(const LearnerData& searched) override;
  [[nodiscard]] Scorer fit(const LearnerData& all) override;
  [[nodiscard]] nlohmann::json record() const override { return record_; }

 private:
  MiniBatchOptions options_;
  Progress progress_;
  FeatureMap map_;
  DenseMatrix weights_;  // (d + 1) × l
  nlohmann::json record_ = nlohmann::json::object();
};

}  // namespace mmo
